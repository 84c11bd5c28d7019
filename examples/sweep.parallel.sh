#!/bin/bash
# A sweep over the machines of GNU parallel's login file: examples/sweep.parallel.sh machines.txt
# Every machine needs jbdlab in the same folder; the shards come back here.
set -euo pipefail
count=8
parallel --sshloginfile "${1:--}" --return "shards/shard-{}-of-$count.json" --cleanup \
  npx jbdlab sweep --journal 4MiB..1GiB --seeds 6 --shard "{}/$count" --out shards ::: $(seq $count)
npx jbdlab merge shards --out report
