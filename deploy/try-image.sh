#!/bin/sh
# Builds the image and brings compose.yaml up with a Docker engine of its own, on a machine that has
# none running and reaches no registry, and runs the tests that are marked `engine`.
#
#   deploy/try-image.sh PYTHON          # PYTHON has what the tests need; `make try-image` gives it
#
# Needs root, and on the PATH dockerd, containerd, runc, docker with `docker compose` (2.24 or newer),
# iptables, ip and debootstrap (Debian: docker.io docker-compose iptables iproute2 debootstrap), an
# archive of Debian at MIRROR and a package index as /etc/pip.conf has it. Takes about five minutes
# and 2 GB in TMPDIR.
#
# The base images are stand-ins under the names that the files ask for: Python from Debian 13, nginx
# and Redis from Debian's testing, where nginx is new enough. They have glibc where Alpine has musl.
#
# Processes, mounts, network and what is written to /etc, /opt and /run are the engine's own: they go
# with it, and so does its folder.
set -eu

fail() {
    echo "*** not tried: $1" >&2
    exit 1
}

outside() {
    [ "$(id -u)" = 0 ] || fail "an engine is run by root alone"
    for program in dockerd containerd runc docker iptables ip debootstrap unshare nsenter; do
        command -v "$program" >/dev/null || fail "there is no $program"
    done
    docker compose version >/dev/null 2>&1 || fail "there is no docker compose"
    place=$(mktemp -d "${TMPDIR:-/tmp}/guard-proxy-engine.XXXXXX")
    trap 'taken_away' EXIT
    trap 'exit 1' INT TERM
    unshare --mount --pid --fork --kill-child --mount-proc "$self" "$python" inside "$place"
}

taken_away() {
    rm -rf "$place"
    find /sys/fs/cgroup -depth -type d -path "*/${place##*/}*" -exec rmdir {} + 2>/dev/null || true
}

inside() {
    export DOCKER_HOST="unix://$place/docker.sock"
    for folder in etc opt run; do
        mkdir -p "$place/own/$folder" "$place/work/$folder"
        mount -t overlay overlay "/$folder" \
            -o "lowerdir=/$folder,upperdir=$place/own/$folder,workdir=$place/work/$folder"
    done
    debian python trixie python3,python3-venv,python3-pip,python-is-python3,ca-certificates
    debian servers testing nginx,redis-server,redis-tools,wget

    # Once in the machine's network, which reaches the package index, then in one that leads nowhere.
    engine --bridge=none --iptables=false --ip6tables=false &
    is_up
    images
    kill "$(cat "$place/docker.pid")"
    wait
    unshare --net "$self" "$python" engine_alone "$place" &
    is_up
    nsenter --net="/proc/$(cat "$place/docker.pid")/ns/net" \
        "$python" -m pytest -m engine tests/deploy/containers
}

debian() {
    echo "--- Debian $2: $3"
    debootstrap --variant=minbase --include="$3" "$2" "$place/$1" \
        "${MIRROR:-http://deb.debian.org/debian}" /usr/share/debootstrap/scripts/sid \
        >"$place/$1.log" 2>&1 || {
        tail -n 20 "$place/$1.log" >&2
        fail "Debian's packages could not be fetched"
    }
    rm -rf "$place/$1"/var/cache/apt/archives/*.deb "$place/$1"/var/lib/apt/lists/*
}

engine() {
    exec dockerd --data-root "$place/engine" --exec-root "$place/running" \
        --pidfile "$place/docker.pid" --host "$DOCKER_HOST" --cgroup-parent "/${place##*/}" "$@" \
        >>"$place/engine.log" 2>&1
}

engine_alone() {
    ip link set lo up
    engine
}

is_up() {
    for _ in $(seq 60); do
        if docker version >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    tail -n 20 "$place/engine.log" >&2
    fail "the engine does not start"
}

images() {
    # How this machine reaches the package index, in an image that nobody gets.
    for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" /etc/ssl/certs/ca-certificates.crt; do
        [ ! -f "$file" ] || install -D "$file" "$place/python$file"
    done
    usual='PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    tar -C "$place/python" -c . | docker import --change "ENV $usual" - python:3.12-slim
    tar -C "$place/servers" -c . | docker import --change "ENV $usual" - servers
    rm -rf "$place/python" "$place/servers"
    docker build --network none --tag nginxinc/nginx-unprivileged:1.28-alpine - <<'END'
FROM servers
USER 101:101
CMD ["nginx", "-g", "daemon off;"]
END
    docker build --network none --tag redis:7.4-alpine - <<'END'
FROM servers
RUN install --directory --owner=999 --group=1000 /data
WORKDIR /data
VOLUME ["/data"]
CMD ["redis-server"]
END
    docker build --network host --file deploy/Dockerfile --tag guard-proxy:0.1.0 .
}

self=$(realpath "$0")
python=$(realpath -s "$1")
place=${3:-}
cd "$(dirname "$self")/.."
"${2:-outside}"
