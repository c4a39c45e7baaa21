#!/usr/bin/env bash
# Runs a program under Slurm, as users of clusters start theirs: srun --mpi=pmix. Needs root. Nothing
# is left running, and nothing outside a temporary folder is written.
#
#   tests/lab/slurm.sh --install                           # slurm-wlm and munge (apt-get)
#   tests/lab/slurm.sh -n 2 PROGRAM [ARGUMENT...]          # on one node, this machine
#   tests/lab/lab.py --hosts 2 --plain -- tests/lab/slurm.sh -n 2 PROGRAM [ARGUMENT...]
#                                                          # on the hosts of the lab, a node each
set -euo pipefail

fail() {
  echo "slurm.sh: $1" >&2
  exit "${2:-5}"
}

ranks=2
while [ $# -gt 0 ]; do
  case $1 in
    --install)
      export DEBIAN_FRONTEND=noninteractive
      exec apt-get install -y --no-install-recommends slurm-wlm munge
      ;;
    -n)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || fail "-n '${2:-}': give a number of ranks" 2
      ranks=$2
      shift 2
      ;;
    -*) fail "$1: unknown; see the start of this file" 2 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || fail "which program? slurm.sh -n 2 PROGRAM" 2
[ "$(id -u)" -eq 0 ] || fail "needs root" 77
PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd srun munged; do
  command -v "$tool" >/dev/null || fail "there is no $tool; run: tests/lab/slurm.sh --install" 77
done

# Under lab.py --plain every host of the lab is a node, else this machine is the only one.
if [ -n "${ARB_LAB_NETNS:-}" ]; then
  mapfile -t nodes < <(for space in "$ARB_LAB_NETNS"*; do echo "${space#"$ARB_LAB_NETNS"}"; done | sort -V)
  address() { echo "10.77.0.${1#h}"; }
  # PMIx keeps its sockets under TmpFS, by names that do not tell nodes apart: a folder for each.
  on() {
    local node=$1
    shift
    mkdir -p "$folder/tmp-$node"
    exec nsenter --net="$ARB_LAB_NETNS$node" unshare --uts --mount \
      sh -c "hostname $node && mount --bind $folder/tmp-$node $folder/tmp && exec \"\$@\"" sh "$@"
  }
else
  nodes=(localhost)
  address() { echo 127.0.0.1; }
  on() {
    shift
    exec "$@"
  }
fi

folder=$(mktemp -d /tmp/arb-slurm.XXXXXX)
chmod 711 "$folder"
mkdir "$folder/tmp"
daemons=()

# The last one started ends first; what does not end, and steps that lost their daemon, are killed.
down() {
  local pid k
  for ((k = ${#daemons[@]} - 1; k >= 0; --k)); do
    pid=${daemons[k]}
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  for pid in /proc/[0-9]*; do
    if grep -qs "SLURM_CONF=$folder/" "$pid/environ" && grep -qsx slurmstepd "$pid/comm"; then
      kill -9 "${pid#/proc/}" 2>/dev/null || true
    fi
  done
  rm -rf "$folder"
}
trap down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# daemon NODE COMMAND...: in the foreground of its own process, whose id is remembered.
daemon() {
  (on "$@") >>"$folder/log" 2>&1 &
  daemons+=($!)
}

port=$((20000 + RANDOM % 10000))
{
  cat <<END
ClusterName=lab
SlurmctldHost=${nodes[0]}($(address "${nodes[0]}"))
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=pmix
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
TmpFS=$folder/tmp
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
  for node in "${nodes[@]}"; do
    echo "NodeName=$node NodeAddr=$(address "$node") CPUs=$(nproc) State=UNKNOWN"
  done
} >"$folder/slurm.conf"
export SLURM_CONF=$folder/slurm.conf
mkdir "$folder/state"

(umask 077 && dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null)
daemon "${nodes[0]}" munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" --num-threads=2
daemon "${nodes[0]}" slurmctld -D
for node in "${nodes[@]}"; do daemon "$node" slurmd -D -N "$node"; done

for _ in $(seq 150); do
  ready=$( (on "${nodes[0]}" sinfo --noheader --Node --states=idle) 2>/dev/null | wc -l)
  [ "$ready" -eq ${#nodes[@]} ] && break
  sleep 0.2
done
if [ "$ready" -ne ${#nodes[@]} ]; then
  tail -n 20 "$folder/log" >&2
  fail "only $ready of ${#nodes[@]} nodes came up"
fi

code=0
(on "${nodes[0]}" srun --mpi=pmix -N ${#nodes[@]} -n "$ranks" --overcommit "$@") || code=$?
exit "$code"
