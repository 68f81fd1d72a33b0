"""The shipped nginx, with other addresses and nothing else changed, in front of replicas."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.deploy.yaml_files import DEPLOY
from tests.fakes.command import running_as

FOLDER = Path(__file__).parent
CONFIGURATION = DEPLOY / "nginx" / "nginx.conf"
RESOLVES_SINCE = (1, 27, 3)
"""The first version that takes `resolve` in an upstream without a licence."""


def nginx_executable() -> str | None:
    """Return where nginx is; Debian keeps it where only root's PATH looks."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def why_no_nginx() -> str | None:
    """Say what is missing for the tests that need nginx; None if nothing is."""
    return None if nginx_executable() else "nginx is not installed (apt-get install nginx-light)"


def directives(name: str) -> list[str]:
    """Return what the shipped configuration says about something, in its order."""
    return re.findall(rf"^\s*{name} (.+);$", CONFIGURATION.read_text("utf-8"), re.MULTILINE)


def directive(name: str) -> str:
    """Return what it says once."""
    [found] = directives(name)
    return found


def version() -> tuple[int, ...]:
    """Return the version of nginx."""
    said = subprocess.run([_executable(), "-v"], capture_output=True, text=True, check=True).stderr
    found = re.search(r"nginx/([\d.]+)", said)
    assert found, said
    return tuple(map(int, found[1].split(".")))


def placed(folder: Path, listening: str, replicas: Sequence[str]) -> Path:
    """Write the shipped configuration with other addresses and another folder than /tmp."""
    text = CONFIGURATION.read_text("utf-8")
    [(server, options)] = re.findall(r"( +server proxy:8080 resolve( .+;)\n)", text)
    servers = "".join(f"server {address}{options}\n" for address in replicas)
    for shipped, here in (
        ("/tmp/", f"{folder}/"),
        (server, servers),
        ("listen 8080 ", f"listen {listening} "),
        ("listen 8081 ", f"listen unix:{operators_entrance(folder)} "),
    ):
        assert shipped in text
        text = text.replace(shipped, here)
    path = folder / "nginx.conf"
    path.write_text(text, "utf-8")
    return path


def operators_entrance(folder: Path) -> Path:
    """Return the socket of what is not for everybody."""
    return folder / "operators.sock"


def checked(path: Path) -> str:
    """Return what nginx says of a configuration that it finds good."""
    return subprocess.run([*_words(path), "-t"], capture_output=True, text=True, check=True).stderr


def free_port() -> int:
    """Return a port of loopback that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def nginx(folder: Path, *replicas: str) -> AsyncGenerator[str, None]:
    """Run it within this block in front of replicas; yields its address."""
    port = free_port()
    path = placed(folder, f"127.0.0.1:{port}", [one.removeprefix("http://") for one in replicas])
    async with running_as([*_words(path), "-g", _OF_TESTS], folder, {}) as front:
        try:
            await _listening(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            # Killed, it would leave its workers behind.
            front.process.terminate()
            await front.ended()


_OF_TESTS = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
"""The image starts it like that; its workers may enter the folders of pytest."""


def _executable() -> str:
    found = nginx_executable()
    assert found, why_no_nginx()
    return found


def _words(path: Path) -> list[str]:
    return [_executable(), "-p", str(path.parent), "-c", str(path), "-e", "stderr"]


async def _listening(port: int) -> None:
    async with asyncio.timeout(10):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.01)
                continue
            writer.close()
            return
