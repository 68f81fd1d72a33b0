#!/bin/sh
# Runs the integrations with the real programs: deploy/integrations.sh PYTHON FOLDER PROGRAMS [PYTEST ARGUMENTS]
#
# PYTHON has the requirements of development. Each of PROGRAMS ("litellm phoenix", "open-webui") is
# installed into FOLDER, apart from the others, as they pin many of their own; what is there already
# serves where the registry is out of reach.
# Exit status 0: passed; 1: a test failed; 3: a program could not be installed.
set -u
cd "$(dirname "$0")/.."
python=$1
folder=$2
programs=$3
shift 3
for program in $programs; do
    case $program in
    litellm) package='litellm[proxy]' ;;
    phoenix) package=arize-phoenix ;;
    *) package=$program ;;
    esac
    bin=$folder/$program/bin
    [ -x "$bin/python" ] || "$python" -m venv "$folder/$program" || exit 3
    if ! "$bin/python" -m pip --disable-pip-version-check --quiet install --upgrade "$package"; then
        [ -x "$bin/$program" ] || { echo "NOT RUN: $program cannot be installed" >&2; exit 3; }
        echo "$program was not renewed." >&2
    fi
    "$bin/python" -m pip --disable-pip-version-check list 2>/dev/null | grep -i "^${package%\[*} "
    export "$(echo "$program" | tr a-z- A-Z_)_BIN=$(cd "$bin" && pwd)"
done
exec "$python" -m pytest -q -m "integrations or not long" tests/integrations "$@"
