#!/bin/sh
# Looks up the locked dependencies among the known vulnerabilities: deploy/audit.sh PYTHON FOLDER
#
# PYTHON makes an environment for the tool in FOLDER. Exit status 0: none is known to be
# vulnerable; 1: some are; 3: nobody looked, because the tool or its database cannot be reached.
set -u
python=$1
folder=$2
report=$folder/report.json
here=$(dirname "$0")

not_run() {
    echo "NOT AUDITED: $1. Nothing is known about the dependencies." >&2
    exit 3
}

if [ ! -x "$folder/bin/pip-audit" ]; then
    "$python" -m venv "$folder" || not_run "no environment could be made"
    "$folder/bin/pip" --disable-pip-version-check --quiet install pip-audit==2.10.1 ||
        not_run "pip-audit could not be installed"
fi
rm -f "$report"
status=0
# Names and versions come from the lock alone: nothing is installed or resolved for it.
"$folder/bin/pip-audit" --requirement "$here/requirements.lock" --require-hashes --disable-pip \
    --progress-spinner off --timeout 20 --format json --output "$report" || status=$?
[ -s "$report" ] || not_run "the database of vulnerabilities cannot be reached"
if [ "$status" -ne 0 ]; then
    cat "$report"
    echo "AUDITED: some locked dependencies are known to be vulnerable." >&2
    exit 1
fi
echo "AUDITED: none of the locked dependencies is known to be vulnerable."
