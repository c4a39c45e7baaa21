#!/bin/sh
# How mpirun reaches a host of the lab (plm_rsh_agent): agent.sh HOST COMMAND...
# ARB_LAB_NETNS is the path of its namespaces without the host's name.
# nsenter, not `ip netns exec`, which mounts another /sys. The name lives in a UTS namespace.
host=$1
shift
exec nsenter --net="$ARB_LAB_NETNS$host" unshare --uts sh -c "hostname $host && $*"
