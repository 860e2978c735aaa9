#!/bin/sh
# What mpirun calls instead of ssh, with a host and a command line, to start its daemon on another host of
# network.bash: enters the namespaces of that host.
host=$1
shift
exec nsenter --target "$(cat "$HOSTS_FOLDER/$host")" --net --uts --ipc --mount -- sh -c "$*"
