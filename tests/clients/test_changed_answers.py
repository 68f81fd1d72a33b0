"""The examples of the page on changed answers, run as they stand there against a real proxy."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.clients.door_server import DoorHouse
from tests.clients.node_packages import FOLDER, LLAMA_INDEX, why_not
from tests.fakes.house import House
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE
from tests.reference import DOCS

PAGE = (DOCS / "guides/changed-answers.md").read_text(encoding="utf-8")
ENDS = [
    pytest.param((CLEAN,), CLEAN, id="unchanged"),
    pytest.param((CHINESE, CLEAN), f"[corrected] {CLEAN}", id="corrected"),
    pytest.param((CHINESE, STILL_CHINESE), f"[notice] {LANGUAGE_TEMPLATE}", id="replaced"),
]
PYTHON = (sys.executable, "-")
NODE = ("node", "--input-type=module", "-")

pytestmark = pytest.mark.asyncio(loop_scope="module")


def examples(heading: str) -> list[str]:
    """Return the programs below a heading of the page."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    [found] = [one for one in section if one.startswith(f"{heading}\n")]
    return re.findall(r"^```(?:python|js)\n(.*?)^```", found, re.DOTALL | re.MULTILINE)


async def printed(program: str, runner: Sequence[str], proxy: RunningProxy) -> list[str]:
    """Return the lines that an example prints."""
    address = "http://127.0.0.1:8080/v1"
    assert address in program
    program = program.replace(address, proxy.base_url).replace("KEY", f'"{proxy.key}"')

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            runner,
            input=program,
            cwd=FOLDER,
            env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            timeout=3 * DEADLINE_S,
            check=False,
        )

    done = await asyncio.to_thread(run)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("number", [0, 1], ids=["plain", "stream"])
@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_chat_for_python(
    house: House, number: int, says: Sequence[str], expected: str
) -> None:
    house.scripted.says(*says)

    program = examples("OpenAI for Python")[number]

    assert await printed(program, PYTHON, house.proxy) == [expected]


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_responses_for_python(doors: DoorHouse, says: Sequence[str], expected: str) -> None:
    doors.server.says(*says)

    *_, program = examples("OpenAI for Python")

    assert await printed(program, PYTHON, doors.proxy) == [expected]


@pytest.mark.skipif(bool(why_not()), reason="the clients for Node are not there")
@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_node(house: House, says: Sequence[str], expected: str) -> None:
    house.scripted.says(*says)

    [program] = examples("OpenAI for Node")

    assert await printed(program, NODE, house.proxy) == [expected]


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_langchain(house: House, says: Sequence[str], expected: str) -> None:
    house.scripted.says(*says)

    [program] = examples("LangChain")

    assert await printed(program, PYTHON, house.proxy) == [expected] * 2


@pytest.mark.skipif(not LLAMA_INDEX.exists(), reason="'make llama-index' runs this one")
@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_llama_index(house: House, says: Sequence[str], expected: str) -> None:
    house.scripted.says(*says)

    [program] = examples("LlamaIndex")

    assert await printed(program, (str(LLAMA_INDEX), "-"), house.proxy) == [expected] * 2
