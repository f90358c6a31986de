#!/usr/bin/env bash
# Workers on a Slurm cluster: sbatch --array=1-20 slurm.sh
#SBATCH --job-name=tablero-worker
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=16G
#SBATCH --time=08:00:00
#SBATCH --signal=TERM@300
#SBATCH --requeue
# Five minutes before the time is over Slurm asks the worker to stop: it finishes the tasks under way.
set -euo pipefail

# The package, unpacked in a folder that all nodes see: tar -xzf tablero-*-x86_64-linux.tar.gz --strip-components=1 -C ~/tablero
PATH=${TABLERO_HOME:-$HOME/tablero}/bin:$PATH

# One build on nodes of different processors; the coordinator needs the same.
export TABLERO_CPU=x86-64-v3

# A file that only you can read, with TABLERO_NATS=..., TABLERO_NATS_USER=... and so on.
set -a
. "$HOME/.config/tablero/worker.env"
set +a

exec srun tablero worker --threads "$SLURM_CPUS_PER_TASK" --cache "${TMPDIR:-/tmp}/tablero-$USER"
