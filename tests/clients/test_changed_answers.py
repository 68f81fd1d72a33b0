"""The examples of the page on changed answers, run as they stand there against a real proxy."""

import asyncio
import os
import re
import subprocess
from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from tests.clients.endpoint_server import EndpointRig
from tests.clients.langchain_app import langchain_app
from tests.clients.node_packages import FOLDER, LLAMA_INDEX, why_not
from tests.clients.processes import Program
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.canteen import CHINESE, CLEAN, LANGUAGE_TEMPLATE, STILL_CHINESE
from tests.reference import DOCS

PAGE = (DOCS / "guides/changed-answers.md").read_text(encoding="utf-8")
ENDS = [
    pytest.param((CLEAN,), CLEAN, id="unchanged"),
    pytest.param((CHINESE, CLEAN), f"[corrected] {CLEAN}", id="corrected"),
    pytest.param((CHINESE, STILL_CHINESE), f"[notice] {LANGUAGE_TEMPLATE}", id="replaced"),
]
NODE = ("node", "--input-type=module", "-")

pytestmark = pytest.mark.asyncio(loop_scope="module")


def of_page(heading: str) -> list[str]:
    """Return the programs below a heading of the page."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    [found] = [one for one in section if one.startswith(f"{heading}\n")]
    return re.findall(r"^```(?:python|js)\n(.*?)^```", found, re.DOTALL | re.MULTILINE)


def at(proxy: RunningProxy, example: str) -> str:
    """Return an example that talks to a proxy."""
    address = "http://127.0.0.1:8080/v1"
    assert address in example
    return example.replace(address, proxy.base_url).replace("KEY", f'"{proxy.key}"')


async def printed(examples: Program, example: str) -> JsonValue:
    """Return the lines that an example for Python prints."""
    examples.send(example)
    return (await examples.printed())["lines"]


async def printed_by(runner: Sequence[str], example: str) -> list[str]:
    """Return the lines that an example prints in a process of its own."""

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            runner,
            input=example,
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
    rig: Rig, examples: Program, number: int, says: Sequence[str], expected: str
) -> None:
    rig.scripted.says(*says)

    program = of_page("OpenAI for Python")[number]

    assert await printed(examples, at(rig.proxy, program)) == [expected]


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_responses_for_python(
    doors: EndpointRig, examples: Program, says: Sequence[str], expected: str
) -> None:
    doors.server.says(*says)

    *_, program = of_page("OpenAI for Python")

    assert await printed(examples, at(doors.proxy, program)) == [expected]


@pytest.mark.skipif(bool(why_not()), reason="the clients for Node are not there")
@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_node(rig: Rig, says: Sequence[str], expected: str) -> None:
    rig.scripted.says(*says)

    [program] = of_page("OpenAI for Node")

    assert await printed_by(NODE, at(rig.proxy, program)) == [expected]


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_langchain(rig: Rig, examples: Program, says: Sequence[str], expected: str) -> None:
    rig.scripted.says(*says)

    program, _ = of_page("LangChain")

    assert await printed(examples, at(rig.proxy, program)) == [expected] * 2


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_langchain_over_responses(
    doors: EndpointRig, examples: Program, says: Sequence[str], expected: str
) -> None:
    doors.server.says(*says)

    _, program = of_page("LangChain")

    assert await printed(examples, at(doors.proxy, program)) == [expected] * 2


@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_langchain_over_responses_drops_the_object(
    doors: EndpointRig, says: Sequence[str], expected: str
) -> None:
    """If this fails, LangChain keeps it by now, and the page should say so."""
    doors.server.says(*says)
    async with langchain_app(doors.proxy) as app:
        model = app.chat_model(responses=True)
        answers = [await model.ainvoke("구내식당은 어디에 있나요?")]
        first, *others = [chunk async for chunk in model.astream("구내식당은 어디에 있나요?")]
        answers.append(sum(others, first))

    assert [answer.text for answer in answers] == [expected.rpartition("] ")[2]] * 2
    assert all("guard" not in answer.response_metadata for answer in answers)


@pytest.mark.skipif(not LLAMA_INDEX.exists(), reason="'make llama-index' runs this one")
@pytest.mark.parametrize(("says", "expected"), ENDS)
async def test_llama_index(rig: Rig, says: Sequence[str], expected: str) -> None:
    rig.scripted.says(*says)

    [program] = of_page("LlamaIndex")

    assert await printed_by((str(LLAMA_INDEX), "-"), at(rig.proxy, program)) == [expected] * 2
