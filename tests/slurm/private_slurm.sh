#!/usr/bin/env bash
# A Slurm of one's own for tests: munged, slurmctld and slurmd of this machine on loopback, without systemd and beside
# any other Slurm that may run here; keys, sockets, ports, state and logs are all its own, below one folder.
#
#   tests/slurm/private_slurm.sh start FOLDER [CPUS]   FOLDER must not exist yet; its path must be short and
#                                                      open to all, as there will be a socket in it
#   tests/slurm/private_slurm.sh stop FOLDER           ends jobs and daemons (by process id), leaves the logs
#   . FOLDER/environment                               then sbatch, squeue, ... speak to it
#
# Exit code 77 (skipped, for CTest) and a sentence where that is not possible: not root, no Slurm, no munge.
set -euo pipefail

skip() {
  echo "skipped: $*" >&2
  exit 77
}

fail() {
  echo "private_slurm.sh: $*" >&2
  exit 1
}

require() {
  local program
  [[ $(id -u) == 0 ]] || skip "a private Slurm is started as root"
  for program in munged munge slurmctld slurmd sbatch srun setsid; do
    command -v "$program" >/dev/null || skip "there is no $program here (Debian: packages slurm-wlm and munge)"
  done
}

# until_true SECONDS COMMAND...: tries ten times a second.
until_true() {
  local tries=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || return 1
    sleep 0.1
  done
}

# A TCP port of 127.0.0.1 that nobody listens at, away from the ports given to outgoing connections.
free_port() {
  local port
  while :; do
    port=$((16000 + RANDOM % 16000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

# daemon NAME COMMAND...: in a session of its own, its process id in FOLDER/NAME.pid. setsid does not fork here, as
# a background child leads no group, so the id is the daemon's.
daemon() {
  local name=$1
  shift
  setsid "$@" >"$folder/log/$name.out" 2>&1 </dev/null &
  echo $! >"$folder/$name.pid"
}

write_configuration() {
  local host memory
  host=$(hostname -s)
  memory=$(awk '/^MemTotal:/ {print int($2 / 1024)}' /proc/meminfo)
  cat >"$folder/etc/slurm.conf" <<CONF
ClusterName=private
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.slurm.pid
SlurmdPidFile=$folder/slurmd.slurm.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
SlurmdDebug=verbose
SlurmctldDebug=verbose
# linuxproc would leave ranks running when the batch shell dies.
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/filetxt
JobCompLoc=$folder/log/jobs
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=pmix
PropagateResourceLimits=NONE
ReturnToService=2
MinJobAge=3600
KillWait=10
JobRequeue=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=test Nodes=$host Default=YES MaxTime=60 State=UP PriorityTier=1 PreemptMode=OFF
# Jobs of "low" make room for those of "high", and have some time for that.
PartitionName=low Nodes=$host MaxTime=60 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=40
PartitionName=high Nodes=$host MaxTime=60 State=UP PriorityTier=2 PreemptMode=OFF
CONF
  # Nothing above asks anything of cgroups; version 1's plug-in then starts on any machine, version 2's wants systemd.
  printf '%s\n' CgroupPlugin=cgroup/v1 CgroupAutomount=no >"$folder/etc/cgroup.conf"
  echo "export SLURM_CONF=$folder/etc/slurm.conf" >"$folder/environment"
}

start_munge() {
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  daemon munged munged -F --key-file="$folder/munge.key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/log/munged.log" --seed-file="$folder/munge/seed"
  until_true 20 munge -S "$folder/munge/socket" -n || fail "munged does not answer, see $folder/log"
}

# slurmd refuses to start where nothing is mounted at /sys/fs/cgroup: then it gets a mount of its own there.
start_slurm() {
  local own_mount=()
  if ! mountpoint -q /sys/fs/cgroup; then
    own_mount=(unshare --mount bash -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' bash)
    "${own_mount[@]}" true 2>/dev/null ||
      skip "slurmd needs something mounted at /sys/fs/cgroup, and mounting is not permitted here"
  fi
  daemon slurmctld slurmctld -D -i
  daemon slurmd "${own_mount[@]}" slurmd -D
  until_true 30 node_is_idle || fail "the node does not become idle, see $folder/log"
}

node_is_idle() { [[ $(sinfo -h -o %T) == idle ]]; }

no_jobs() { [[ -z $(squeue -h -o %i) ]]; }

start() {
  require
  [[ ! -e $folder ]] || fail "$folder exists"
  [[ ${#folder} -le 70 ]] || fail "the path $folder is too long for a socket in it"
  mkdir -p "$folder"
  chmod 755 "$folder"
  mkdir -m 755 "$folder"/{etc,log,state,spool}
  mkdir -m 711 "$folder/munge"
  write_configuration
  # shellcheck disable=SC1091
  . "$folder/environment"
  trap 'code=$?; ((code == 0)) || stop' EXIT
  start_munge
  start_slurm
  echo "Slurm $(slurmctld -V | cut -d ' ' -f 2) on $(hostname -s), $cpus CPUs: . $folder/environment"
}

# The daemon's own command line is looked at as well: its number may be another's by now.
stop_daemon() {
  local pid signal
  [[ -f $folder/$1.pid ]] || return 0
  pid=$(<"$folder/$1.pid")
  for signal in TERM KILL; do
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q "$1" || break
    kill -s "$signal" "$pid" 2>/dev/null || break
    until_true 10 process_is_gone "$pid" && break
  done
  rm -f "$folder/$1.pid"
}

process_is_gone() { [[ ! -d /proc/$1 || $(awk '/^State:/ {print $2}' "/proc/$1/status") == Z ]]; }

stop() {
  if [[ -f $folder/environment ]]; then
    # shellcheck disable=SC1091
    . "$folder/environment"
    if [[ -f $folder/slurmctld.pid ]] && timeout 10 scancel -u root 2>/dev/null; then
      until_true 30 no_jobs || echo "private_slurm.sh: jobs do not end" >&2
    fi
  fi
  for daemon in slurmd slurmctld munged; do stop_daemon "$daemon"; done
}

usage() {
  sed -n '5,8s/^# \{0,3\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

[[ $# -ge 2 ]] || usage
folder=$2
cpus=${3:-4}
case $1 in
  start) start ;;
  stop) stop ;;
  *) usage ;;
esac
