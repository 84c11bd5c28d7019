#!/bin/bash
# A sweep as a Slurm array: sbatch --array=1-8 examples/sweep.slurm.sh, then, when all have ended,
# npx jbdlab merge shards-$ARRAY_JOB_ID --out report
#SBATCH --job-name=jbdlab
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
set -euo pipefail
npx jbdlab sweep --journal 4MiB..1GiB --seeds 6 --shard auto \
  --workers "${SLURM_CPUS_PER_TASK:-2}" --out "shards-${SLURM_ARRAY_JOB_ID}"
