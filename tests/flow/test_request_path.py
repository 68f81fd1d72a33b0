"""How much code one request passes: printed, so that its growth is seen; nothing is limited here.

``pytest tests/flow/test_request_path.py -s`` shows the figures; `PATH_FILES=1` before it lists the
files, and `PATH_CARRIERS=1` the types.
"""

import os
import sys
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from dataclasses import is_dataclass
from pathlib import Path
from types import FrameType

import pytest

from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, STREAM_TYPE, json_bytes, write_event
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body

ROOT = f"{Path(__file__).resolve().parents[2]}/"
PRODUCT = tuple(f"{ROOT}{part}/" for part in ("guards", "policies", "proxy"))
QUESTION = "배송비는 얼마인가요?"
ANSWER = "배송비는 3,000원입니다."
SOURCE: JsonObject = {
    "section_title": "제6조 배송",
    "section_content": "배송은 결제 후 3일 이내에 시작하며 배송비는 3,000원이다.",
}


class RequestPath:
    """The functions of the product that were called, and the value types that were built.

    Attributes:
        files: Calls by file, as a path below the root.
        carriers: Dataclasses and named tuples of `proxy` and `policies` by how many were built.
    """

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.carriers: Counter[str] = Counter()

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Take in one event of the interpreter's profiler."""
        if event != "call":
            return
        code = frame.f_code
        if code.co_filename.startswith("<"):
            self._note_built(frame)
        elif code.co_name != "<module>" and code.co_filename.startswith(PRODUCT):
            self.files[code.co_filename.removeprefix(ROOT)] += 1

    def _note_built(self, frame: FrameType) -> None:
        """Note the building of a dataclass or a named tuple, whose code is generated."""
        name = frame.f_code.co_name
        if name not in ("__init__", "__new__") or not frame.f_code.co_varnames:
            return
        first = frame.f_locals.get(frame.f_code.co_varnames[0])
        built = first if isinstance(first, type) else type(first)
        is_value = is_dataclass(built) or issubclass(built, tuple)
        if is_value and built.__module__.partition(".")[0] in ("proxy", "policies"):
            self.carriers[f"{built.__module__}.{built.__name__}"] += 1

    def report(self) -> str:
        """Return the figures as lines of text."""
        by_part = Counter(file.partition("/")[0] for file in self.files)
        outside = len(self.files) - by_part["guards"]
        lines = [
            f"files entered: {len(self.files)}, without guards {outside} ({dict(by_part)})",
            f"value types built in proxy and policies: {len(self.carriers)}",
        ]
        if os.environ.get("PATH_FILES"):
            lines += [f"{calls:6} {file}" for file, calls in sorted(self.files.items())]
        if os.environ.get("PATH_CARRIERS"):
            lines += [f"{built:6} {name}" for name, built in sorted(self.carriers.items())]
        return "\n".join(lines)


@contextmanager
def recorded() -> Generator[RequestPath, None, None]:
    """Record all calls in this process, in threads that begin now too."""
    path = RequestPath()
    before = sys.getprofile()
    threading.setprofile(path.note)
    sys.setprofile(path.note)
    try:
        yield path
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncGenerator[Rig, None]:
    """A rig whose model server is none of the product's code."""
    async with open_rig(tmp_path, upstream_yaml(RAW)) as opened:
        yield opened


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_the_path_of_a_clean_completion(
    rig: Rig, stream: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    body = chat_body(QUESTION, sources=[SOURCE]) | {"stream": stream}
    said = Said((ANSWER,))
    if stream:
        events = [write_event(chunk) for chunk in chunks(body, said)]
        stream_type = {"content-type": STREAM_TYPE}
        rig.raw.says(b"".join([*events, DONE]), headers=stream_type)
    else:
        rig.raw.says(json_bytes(completion(body, said)))
    with recorded() as path:
        reply = await rig.proxy.chat(body)
        trace = await rig.proxy.trace(reply)
    assert reply.headers["x-guard-action"] == "pass"
    assert trace.replies == (ANSWER,)
    assert any(file.startswith("proxy/") for file in path.files)
    with capsys.disabled():
        print(f"\n{'stream' if stream else 'plain'}: {path.report()}")  # noqa: T201
