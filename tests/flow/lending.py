"""A library that does not exist answers live: what its model says, and who asks it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from proxy.openai_api.json_body import JsonObject
from tests.fakes.paced_upstream import Writing
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.flow.library import QUESTION

PERIOD = "대출 기간은 9일입니다."
BOOKS = " 한 번에 6권까지 빌릴 수 있습니다."
FEE = " 연체료는 하루에 70원입니다."
SENTENCES = (PERIOD, BOOKS, FEE)
WHOLE = "".join(SENTENCES)
PHONE = " 문의는 010-0000-1234로 하세요."
OTHER_PHONE = " 급하면 010-0000-5678로 전화하세요."
CHINESE = "图书馆在一楼。"
LANGUAGE_TEMPLATE = "언어 오류로 답변을 멈추었습니다."
CUT_TEMPLATE = "여기까지만 안내해 드립니다."
TEMPLATES = f"""
templates:
  korean_only: {LANGUAGE_TEMPLATE}
  closing.cut: {CUT_TEMPLATE}
"""
BODY = QUESTION | {"stream": True}
USAGE: JsonObject = {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}
INCLUDE_USAGE: JsonObject = {"stream_options": {"include_usage": True}}


@asynccontextmanager
async def lending_rig(folder: Path) -> AsyncGenerator[Rig, None]:
    """Run a proxy that sends no comments, with a tenant for each way to treat a stream."""
    here = upstream_yaml(RAW) + TEMPLATES
    others = {
        "buffering": f"{here}stream: {{mode: buffer}}",
        "watching": f"{here}stream: {{mode: monitor}}",
        "filtering": f"{here}replacement: {{finish_reason: content_filter}}",
        "impatient": upstream_yaml(RAW, "timeouts: {idle_s: 0.2}"),
    }
    async with open_rig(folder, here, others=others, keep_alive_s=60.0) as rig:
        yield rig


async def says(writing: Writing, *texts: str, choice: int = 0) -> None:
    for text in texts:
        await writing.say(text, choice=choice)
