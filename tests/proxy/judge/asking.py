"""Two open claims, and a server that answers with what was recorded."""

import json
from dataclasses import dataclass
from pathlib import Path

import httpx
import respx
from pydantic import JsonValue

from guards.core.finding import Span
from policies.judging.judge import JudgeQuestion, OpenClaim, Opinions, Window
from proxy.judge.server import Adapter, JudgeServer, judge_client
from proxy.openai_api.json_body import JsonObject
from tests.policies.courses import COURSES, DENIED, POOL, QUESTION, UNHEARD_OF

WIRE = Path(__file__).parents[2] / "wire"
BASE_URL = "http://judge.test/v1"
KEY = "judge-key"

FIRST = OpenClaim(1, DENIED, (Window("1", COURSES.title, COURSES.text),), Span(0, len(DENIED)))
SECOND = OpenClaim(2, UNHEARD_OF, (Window("2", POOL.title, POOL.text),), Span(30, 60))
ASKED = JudgeQuestion(QUESTION, (FIRST, SECOND))


@dataclass(frozen=True)
class Recorded:
    """One reply of a real kind of server."""

    path: str
    status: int
    body: JsonValue

    def reply(self) -> httpx.Response:
        return httpx.Response(self.status, json=self.body)


def recorded(name: str) -> Recorded:
    found = json.loads((WIRE / f"{name}.json").read_text(encoding="utf-8"))
    return Recorded(found["path"], found.get("status", 200), found["response"])


def route(mock: respx.MockRouter, path: str) -> respx.Route:
    return mock.post(f"{BASE_URL}{path}")


def sent(made: respx.Route, call: int = 0) -> JsonObject:
    body: JsonObject = json.loads(made.calls[call].request.content)
    return body


async def ask(adapter: Adapter, question: JudgeQuestion = ASKED) -> Opinions:
    async with judge_client() as client:
        return await adapter.ask(JudgeServer(client, BASE_URL, KEY), question)
