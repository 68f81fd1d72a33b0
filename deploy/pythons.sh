#!/bin/sh
# Runs the suite on each supported Python: deploy/pythons.sh FOLDER [PYTEST ARGUMENTS]
#
# Looks for each interpreter on the PATH, with pyenv and with uv, and makes an environment for each
# in FOLDER. Without arguments the part of the suite runs that needs no browser and no containers.
# Exit status 0: passed on all; 1: a test failed; 3: passed, but on some Pythons nothing ran.
set -u
cd "$(dirname "$0")/.."
folder=$1
shift
[ $# -gt 0 ] || set -- tests/guards tests/policies tests/proxy/wire
missing=
failed=

find_python() {
    for candidate in "$(command -v "python$1")" "$(command -v python3)" \
        "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/python \
        "$(command -v uv >/dev/null && uv python find "$1" 2>/dev/null)"; do
        [ -n "$candidate" ] || continue
        found=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
        [ "$found" = "$1" ] && echo "$candidate" && return
    done
    return 1
}

for version in 3.11 3.12 3.13; do
    if ! interpreter=$(find_python "$version"); then
        missing="$missing $version"
        continue
    fi
    environment=$folder/$version
    stamp=$environment/installed
    if [ ! -e "$stamp" ] || [ deploy/requirements-dev.lock -nt "$stamp" ]; then
        "$interpreter" -m venv "$environment" &&
            "$environment/bin/pip" --disable-pip-version-check --quiet install --require-hashes \
                --requirement deploy/requirements-dev.lock &&
            "$environment/bin/pip" --disable-pip-version-check --quiet install --no-deps \
                --no-build-isolation --editable . &&
            touch "$stamp" || { failed="$failed $version"; continue; }
    fi
    echo "== Python $version ($interpreter)"
    "$environment/bin/python" -m pytest -q -n auto --dist worksteal "$@" || failed="$failed $version"
done
[ -z "$failed" ] || { echo "FAILED on Python:$failed" >&2; exit 1; }
[ -z "$missing" ] || { echo "NOT RUN, as no interpreter was found for Python:$missing" >&2; exit 3; }
echo "PASSED on Python 3.11, 3.12 and 3.13."
