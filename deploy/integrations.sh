#!/bin/sh
# Runs the integrations with the real programs: deploy/integrations.sh PYTHON FOLDER [PYTEST ARGUMENTS]
#
# PYTHON has the requirements of development. LiteLLM's proxy is installed into FOLDER, apart from
# them, as it pins many of its own; what is there already serves where the registry is out of reach.
# Exit status 0: passed; 1: a test failed; 3: LiteLLM could not be installed.
set -u
cd "$(dirname "$0")/.."
python=$1
folder=$2
shift 2
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder" || exit 3
if ! "$folder/bin/python" -m pip --disable-pip-version-check --quiet install --upgrade 'litellm[proxy]'; then
    [ -x "$folder/bin/litellm" ] || { echo "NOT RUN: LiteLLM cannot be installed" >&2; exit 3; }
    echo "LiteLLM was not renewed." >&2
fi
"$folder/bin/python" -m pip --disable-pip-version-check list 2>/dev/null | grep -i '^litellm '
LITELLM_BIN="$(cd "$folder/bin" && pwd)" exec "$python" -m pytest -q -m "integrations or not long" tests/integrations "$@"
