# To be sourced: hosts for tests on one machine. Each is a set of namespaces (network, UTS, IPC, mount) with its own
# address, host name, /etc/hosts, /dev/shm and folder for Open MPI's session; a switch (a bridge in a network
# namespace of its own) joins them, so they can reach each other by TCP and by nothing else. They share the file
# system, as the nodes of a cluster do.
#
# $mpirun, if set, is the launcher to use, of Open MPI 4.
#
# All of it lives in one world, a process namespace, and ends with it, however that ends: whoever makes hosts must
# have been started with ${in_world[@]}. Host K is called awele-K, at 10.87.0.K, and is at port K of the switch.
#
#   hosts_possible           says on standard output why not, if not
#   "${in_world[@]}" COMMAND...   runs it where hosts can be made; whatever it leaves running is killed
#   hosts_up COUNT FOLDER    FOLDER is for scratch files; the path must be short (sockets)
#   on_host K COMMAND...
#   across SECONDS K:RANKS[,K:RANKS...] COMMAND...   one mpirun from the first host named, with a time limit
#   cut_link K, mend_link K  takes the port of host K down and up again
#   host_processes K         ids of the processes on host K, without the one that holds it
#   received                 bytes that have come into the switch from all hosts

: "${mpirun:=mpirun}"
host_holders=()
switch_holder=
hosts_folder=

# Without root in a user namespace of its own, where that is permitted. The world ends with the caller.
in_world=(setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --mount-proc)
[[ $(id -u) == 0 ]] || in_world+=(--user --map-root-user)

# hold OPTION...: a process that keeps the namespaces asked for; its id is in $held.
hold() {
  unshare "$@" sleep infinity </dev/null >/dev/null 2>&1 &
  held=$!
  local tries
  for ((tries = 0; tries < 500; tries++)); do
    [[ $(cat "/proc/$held/comm" 2>/dev/null) != sleep ]] || return 0
    sleep 0.01
  done
  echo "the namespaces for a host could not be made" >&2
  return 1
}

on_switch() { nsenter --target "$switch_holder" --net -- "$@"; }
on_host() { nsenter --target "${host_holders[$1]}" --net --uts --ipc --mount -- "${@:2}"; }

hosts_possible() {
  local program
  for program in ip mount nsenter unshare setpriv hostname timeout "$mpirun"; do
    if ! command -v "$program" >/dev/null; then
      echo "there is no program '$program' here"
      return 1
    fi
  done
  if ! "$mpirun" --version 2>/dev/null | grep -qE '\((Open MPI|OpenRTE)\) 4\.'; then
    echo "$mpirun is not that of Open MPI 4"
    return 1
  fi
  if ! "${in_world[@]}" unshare --net --uts --ipc --mount sh -c 'hostname awele-0 && mount -t tmpfs tmpfs /dev/shm &&
         ip link add switch type bridge && ip link add port type veth peer name eth0' >/dev/null 2>&1; then
    echo "network namespaces with a bridge are not permitted here"
    return 1
  fi
}

# host_up K: to be called in ascending order.
host_up() {
  local host=$1
  hold --net --uts --ipc --mount
  host_holders[host]=$held
  echo "$held" >"$hosts_folder/awele-$host"
  on_host "$host" hostname "awele-$host"
  on_host "$host" mount -t tmpfs tmpfs /dev/shm
  on_host "$host" mount -t tmpfs tmpfs "$hosts_folder/local"
  on_host "$host" mount --bind "$hosts_folder/hosts" /etc/hosts
  on_switch ip link add "port$host" type veth peer name eth0 netns "$held"
  on_switch ip link set "port$host" master switch up
  on_host "$host" ip link set lo up
  on_host "$host" ip address add "10.87.0.$host/24" dev eth0
  on_host "$host" ip link set eth0 up
}

hosts_up() {
  local count=$1 host
  hosts_folder=$2
  mkdir -p "$hosts_folder/local"
  echo "127.0.0.1 localhost" >"$hosts_folder/hosts"
  for ((host = 1; host <= count; host++)); do echo "10.87.0.$host awele-$host" >>"$hosts_folder/hosts"; done
  hold --net
  switch_holder=$held
  on_switch ip link add switch type bridge forward_delay 0
  on_switch ip link set switch up
  for ((host = 1; host <= count; host++)); do host_up "$host"; done
  for ((host = 1; host <= count; host++)); do wait_for_host "$host"; done
}

# The last four settings decide how soon a cut link is noticed: after 5 seconds of silence and 3 probes 2 seconds
# apart the job ends. Ranks wait for each other without yielding unless told; here they outnumber the cores.
across() {
  local seconds=$1 places=$2 host ranks=0 place names=()
  for place in ${places//,/ }; do
    names+=("awele-$place")
    ranks=$((ranks + ${place#*:}))
  done
  host=${places%%:*}
  on_host "$host" env HOSTS_FOLDER="$hosts_folder" timeout --kill-after 10 "$seconds" \
    "$mpirun" -n "$ranks" --host "$(IFS=,; echo "${names[*]}")" --allow-run-as-root --oversubscribe --bind-to none \
    --mca ras ^slurm --mca plm rsh --mca plm_rsh_agent "$(dirname "${BASH_SOURCE[0]}")/agent.sh" \
    --mca orte_tmpdir_base "$hosts_folder/local" --mca pml ob1 --mca btl self,vader,tcp \
    --mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 1 \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    --mca oob_tcp_keepalive_time 5 --mca oob_tcp_keepalive_intvl 2 --mca oob_tcp_keepalive_probes 3 \
    "${@:3}"
}

cut_link() { on_switch ip link set "port$1" down; }
mend_link() {
  on_switch ip link set "port$1" up
  wait_for_host "$1"
}

# answers FROM TO: a connection to a port where nobody listens is refused, by TO and not for want of a way.
answers() {
  [[ $(on_host "$1" env LC_ALL=C timeout 1 bash -c "</dev/tcp/10.87.0.$2/9" 2>&1) == *"Connection refused"* ]]
}

# A link is up only a moment after it was told to be, and for some seconds hosts remember who could not be reached.
wait_for_host() {
  local other tries=0
  for other in "${!host_holders[@]}"; do
    until [[ $other == "$1" ]] || { answers "$1" "$other" && answers "$other" "$1"; }; do
      if ((++tries > 100)); then
        echo "host $1 and host $other cannot reach each other" >&2
        return 1
      fi
      sleep 0.1
    done
  done
}

host_processes() {
  local network other
  network=$(readlink "/proc/${host_holders[$1]}/ns/net")
  for other in /proc/[0-9]*; do
    [[ $(readlink "$other/ns/net" 2>/dev/null) != "$network" || ${other#/proc/} == "${host_holders[$1]}" ]] ||
      echo "${other#/proc/}"
  done
}

received() { on_switch cat /proc/net/dev | awk '$1 ~ /^port[0-9]+:$/ {bytes += $2} END {printf "%d\n", bytes}'; }
