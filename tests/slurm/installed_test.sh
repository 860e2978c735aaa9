#!/usr/bin/env bash
# What `cmake --install` puts into place is enough to submit a job: the scripts find the program beside them. (sbatch
# is one that prints what it was given.)
#
#   tests/slurm/installed_test.sh BUILD-FOLDER
set -euo pipefail
build=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PROGRAM
for variable in $(compgen -e | grep -E '^(SLURM|SBATCH|SRUN|AWELE)_'); do unset "$variable"; done

cmake --install "$build" --prefix "$scratch/there" >/dev/null
mkdir "$scratch/bin" "$scratch/empty"
cat >"$scratch/bin/sbatch" <<'FAKE'
#!/usr/bin/env bash
echo "PROGRAM=$PROGRAM SEEDS=$SEEDS WORDS=$*"
FAKE
chmod +x "$scratch/bin/sbatch"
cd "$scratch/empty"
export PATH=$scratch/bin:$PATH
# Another place than the one it was installed to.
mv "$scratch/there" "$scratch/moved"
for script in solve verify; do
  said=$(AWELE_SEEDS=9 bash "$scratch/moved/share/awele/slurm/$script.sbatch" --qos=x)
  echo "$said"
  [[ $said == "PROGRAM=$scratch/moved/bin/awele SEEDS=9 WORDS="*"--qos=x $scratch/moved/share/awele/slurm/$script.sbatch" ]]
done
# The plan answered, so the warning is not the one for want of it.
said=$(SEEDS=9 OPTIONS="--distances" bash "$scratch/moved/share/awele/slurm/solve.sbatch" 2>&1)
[[ $said != *"gives no warning time"* ]]
[[ -f $scratch/moved/share/awele/mpi-environment.sh ]]
echo "passed"
