#!/bin/sh
# Builds the wheel and the sdist into dist/, and tries both: deploy/dist.sh PYTHON FOLDER
#
# PYTHON makes the environments in FOLDER. The wheel is installed into an empty one, from the lock,
# and runs in an empty directory and in one that has a policies/ folder of its own.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
python=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
unset PYTHONPATH || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -x "$folder/tools/bin/twine" ]; then
    "$python" -m venv "$folder/tools"
    "$folder/tools/bin/pip" --disable-pip-version-check --quiet install build==1.6.1 twine==7.0.0 \
        hatchling==1.33.0
fi
rm -rf dist
# The sdist first, and the wheel from it: what is missing in one is missing in the other.
"$folder/tools/bin/python" -m build --no-isolation --outdir dist .
"$folder/tools/bin/twine" check --strict dist/*
# Every tracked file of the packages is in the wheel (lexicons, templates, policies), and no other.
"$folder/tools/bin/python" - dist/*.whl >"$work/wheel.txt" <<'END'
import sys, zipfile
names = zipfile.ZipFile(sys.argv[1]).namelist()
print(*sorted(name for name in names if ".dist-info/" not in name), sep="\n")
END
git ls-files guards policies proxy | LC_ALL=C sort >"$work/tracked.txt"
diff "$work/tracked.txt" "$work/wheel.txt" || {
    echo "NOT COMPLETE: < is missing in the wheel, > should not be there" >&2
    exit 1
}

rm -rf "$folder/empty"
"$python" -m venv "$folder/empty"
"$folder/empty/bin/pip" --disable-pip-version-check --quiet install --require-hashes \
    --requirement deploy/requirements.lock
"$folder/empty/bin/pip" --disable-pip-version-check --quiet install --no-deps dist/*.whl

mkdir -p "$work/empty" "$work/operator/policies" "$work/operator/guards"
cp "$root/policies/strict.yaml" "$work/operator/policies/mine.yaml"
for place in empty operator; do
    cd "$work/$place"
    "$folder/empty/bin/guard-proxy" --version
    "$folder/empty/bin/python" -c "
from policies import quick_verify, verify
sources = [{'section_content': '환불은 구매 후 7일 이내 가능합니다.'}]
assert not quick_verify('환불은 30일 이내 가능합니다.', sources).verified
assert verify('환불은 며칠 안에 되나요?', '환불은 7일 이내 가능합니다.', sources).issues is not None
"
done
cd "$work/empty"
"$folder/empty/bin/guard-proxy" demo --once >"$work/demo.txt" || { cat "$work/demo.txt"; exit 1; }
echo "BUILT AND TRIED: $(cd "$root" && echo dist/*)"
