"""What every proxy is compared with: no proxy at all, and nginx as a plain reverse proxy."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.launching import Launched, free_port
from tests.bench.subjects import Absent, Reached

OPEN_FILES = 16384
_NGINX = """
worker_processes {workers};
worker_rlimit_nofile {files};
daemon off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    client_body_buffer_size 2m;
    client_max_body_size 16m;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    keepalive_requests 10000000;
    upstream behind {{
        {servers}
        keepalive 256;
        keepalive_requests 10000000;
    }}
    server {{
        listen 127.0.0.1:{port}{reuseport};
        location = /healthz {{ return 204; }}
        location / {{
            proxy_pass http://behind;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }}
    }}
}}
"""


class Direct:
    """The model server itself, with nothing before it."""

    name = "direct"
    workers = 0
    guarded = False

    def prepare(self) -> str:
        return ""

    def start(self, upstream_port: int, folder: Path) -> Reached:
        return Reached(upstream_port)

    def pids(self) -> Sequence[int]:
        return []

    def stop(self) -> None:
        """Nothing was started."""


@dataclass
class Nginx:
    """nginx, handing each reply on as it comes: the practical limit of a proxy."""

    name: str = "nginx"
    workers: int = 1
    guarded: bool = field(default=False, init=False)
    _launched: Launched | None = field(default=None, init=False)

    def prepare(self) -> str:
        said = subprocess.run(
            [_executable(), "-v"], capture_output=True, text=True, check=True, timeout=10
        )
        found = re.search(r"nginx/([\d.]+)", said.stderr)
        return f"nginx {found[1]}" if found else "nginx"

    def start(self, upstream_port: int, folder: Path) -> Reached:
        port = free_port()
        self._launched = launch_nginx(folder, port, [upstream_port], self.workers)
        return Reached(port)

    def pids(self) -> Sequence[int]:
        return [self._launched.pid] if self._launched else []

    def stop(self) -> None:
        if self._launched:
            self._launched.stop()
            self._launched = None


def launch_nginx(folder: Path, port: int, upstream_ports: Sequence[int], workers: int) -> Launched:
    """Start nginx before one or several servers and wait until it answers.

    Raises:
        Absent: it is not installed or does not start.
    """
    written = _NGINX.format(
        workers=workers,
        files=OPEN_FILES,
        connections=OPEN_FILES // 2,
        servers=" ".join(f"server 127.0.0.1:{one};" for one in upstream_ports),
        port=port,
        reuseport=" reuseport" if workers > 1 else "",
    )
    (folder / "nginx.conf").write_text(written, "utf-8")
    command = [_executable(), "-p", str(folder), "-c", "nginx.conf", "-e", "error.log"]
    launched = Launched(command, folder, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    launched.wait_ready(port, "/healthz")
    return launched


def _executable() -> str:
    # Debian keeps it where only root's PATH looks.
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise Absent("nginx is not installed")
    return found
