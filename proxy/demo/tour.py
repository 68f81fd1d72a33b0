"""The tour: its script of what is asked, said and expected, and the client that sends it.

The company, its rules and its numbers are invented. Its questions can be asked by hand as well, in
other words: the model goes by what is most alike, and a request without sources gets the company's.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping, Set
from dataclasses import dataclass

import httpx
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import (
    ASGIApp,
    HTTPReceiveMessage,
    HTTPRequestEvent,
    Receive,
    Scope,
    Send,
    WebSocketReceiveMessage,
)

from guards.claims.question import asked_answers
from guards.korean.morphemes import morphemes
from guards.korean.words import content_words
from policies.schema.policy import Action
from proxy.demo.model_server import MODEL, Said
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.sse import read_comments, without_comments
from proxy.pipeline.regeneration import OPENING

INSTRUCTIONS = (
    "당신은 주식회사 해오름의 사내 규정 안내원입니다. 아래 자료만 보고 한국어로 답하세요."
)
RULES = {
    "취업규칙 제15조(연차휴가)": """\
제15조(연차휴가)
① 1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 준다.
② 연차휴가를 쓰려는 직원은 3일 전까지 소속 팀장에게 신청서를 제출한다.""",
    "취업규칙 제22조(출장비)": """\
제22조(출장비)
① 국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.
② 교통비는 실비로 지급하며, 영수증을 출장이 끝난 날부터 7일 안에 제출한다.""",
}
"""The company's rules, by their titles."""
SOURCES = "\n".join(
    [
        "<context>",
        *(
            f'<source id="{number}" name="{title}">{text}</source>'
            for number, (title, text) in enumerate(RULES.items(), start=1)
        ),
        "</context>",
    ]
)
NO_SOURCES = "<context>\n</context>"


@dataclass(frozen=True, slots=True)
class Scene:
    """One stop of the tour.

    Attributes:
        name: What it shows.
        asked: The user's words.
        says: What the model says, first and when it is asked again; the last one stands for all
            further times.
        action: What has to happen.
        reason: How the reason has to begin; empty for none.
        stream: Asked as a stream.
        context: The context block of the request.
        miss: Why the guards get it wrong, and what would help; empty if they do not.
    """

    name: str
    asked: str
    says: tuple[str, ...]
    action: Action
    reason: str = ""
    stream: bool = False
    context: str = SOURCES
    miss: str = ""

    def request(self) -> JsonObject:
        """Return the request's body, as an app would send it."""
        body: JsonObject = {
            "model": MODEL,
            "messages": [_instructions(self.context), {"role": "user", "content": self.asked}],
        }
        return body | {"stream": True} if self.stream else body


def _instructions(context: str) -> JsonObject:
    return {"role": "system", "content": f"{INSTRUCTIONS}\n\n{context}"}


_CLEAN = "1년간 80% 이상 출근한 직원은 연차휴가 15일을 받습니다. [참조: 취업규칙 제15조(연차휴가)]"
_INVENTED_ARTICLE = "취업규칙 제99조에 따라 남은 연차휴가는 돈으로 받을 수 있습니다."

SCENES = (
    Scene(
        "complaint",
        "왜 자꾸 모른다고만 해? 진짜 답답하네",
        ("죄송합니다. 잘 모르겠습니다.",),
        Action.REPLACE,
        "complaint.venting",
    ),
    Scene(
        "no evidence",
        "경조사 휴가 규정은 며칠인가요?",
        ("경조사 휴가는 일반적으로 5일입니다.",),
        Action.REPLACE,
        "answerability.empty_context",
        context=NO_SOURCES,
    ),
    Scene(
        "invented article",
        "연차휴가는 어느 조항에 나오나요?",
        (_INVENTED_ARTICLE,),
        Action.REPLACE,
        "legal_citation.",
    ),
    Scene(
        "Chinese, written again",
        "연차휴가 신청은 어떻게 하나요?",
        (
            "연차휴가를 쓰려면 3일 전까지 팀장에게 申请书를 递交해 주세요.",
            "연차휴가를 쓰려면 3일 전까지 소속 팀장에게 신청서를 제출하세요.",
        ),
        Action.REGENERATE,
        "korean_only.",
    ),
    Scene(
        "Chinese, persistent",
        "출장 교통비 영수증은 언제까지 내나요?",
        ("出差结束后7日内 영수증을 제출하세요.",),
        Action.REPLACE,
        "korean_only.",
    ),
    Scene(
        "invented number",
        "국내 출장 일비는 얼마인가요?",
        ("국내 출장 일비는 1일당 5만원입니다.",),
        Action.REPLACE,
        "numbers.",
    ),
    Scene(
        "hedged estimate",
        "출장비를 신청하면 언제 입금되나요?",
        ("보통 약 10일 정도 걸립니다.",),
        Action.REPLACE,
        "estimates.",
    ),
    Scene(
        "wrong citations, corrected",
        "출장 영수증은 며칠 안에 내나요?",
        (
            "교통비 영수증은 출장이 끝난 날부터 7일 안에 제출합니다[†1]. "
            "교통비는 실비로 지급합니다[†2][†8].",
        ),
        Action.FIX,
        "citations.",
    ),
    Scene("clean", "연차휴가는 며칠인가요?", (_CLEAN,), Action.PASS),
    Scene("clean, streamed", "연차휴가는 며칠인가요?", (_CLEAN,), Action.PASS, stream=True),
    Scene(
        "invented article, streamed",
        "연차휴가는 어느 조항에 나오나요?",
        (_INVENTED_ARTICLE,),
        Action.REPLACE,
        "legal_citation.",
        stream=True,
    ),
    Scene(
        "missed: an invented restriction",
        "국내 출장 일비는 누구에게 주나요?",
        ("국내 출장을 가는 정규직 직원에게만 1일당 일비 3만원을 지급합니다.",),
        Action.PASS,
        miss="The source pays every employee who travels; the answer pays permanent staff "
        "(정규직) only. Figures and names agree, and no guard compares whom a rule is for.\n"
        "What helps: a second opinion (`judge: {}` in the policy asks the tenant's own model), and "
        "the label “missed” on the trace: labelled requests become a golden set "
        "(`guard-proxy golden export`) with which changes are measured.",
    ),
)

_UNKNOWN = Said(("제공된 자료에서 확인되지 않습니다.",))
_ALIKE_FROM = 0.4
"""Likeness from which a question is taken for one of the tour's."""
_SAME_ASKED = 0.25
_ASKING = frozenset({"얼마", "언제", "며칠"})
_HOW = re.compile(r"어떻게|방법|절차")
_WHICH_ARTICLE = re.compile(r"조항|몇 ?조")
_NO_LETTER = re.compile(r"[^0-9a-z가-힣]")


def say(body: JsonObject) -> Said:
    """Play the model: the scene is the one whose question is most like the one asked.

    The second attempt is known by the proxy's note behind the question.
    """
    asked = str(member(objects(body.get("messages"))[-1], "content"))
    question, note, _ = asked.partition(OPENING)
    scene = max(SCENES, key=lambda one: _likeness(one.asked, question))
    if _likeness(scene.asked, question) < _ALIKE_FROM:
        return _UNKNOWN
    return Said((scene.says[-1 if note else 0],))


def _likeness(one: str, other: str) -> float:
    """Return how alike two questions are: by their words, their letters and what they ask for."""
    words = _dice(_words(one), _words(other))
    if not words:
        return 0.0
    asked = _SAME_ASKED if _asked(one) == _asked(other) else 0.0
    return (words + _dice(_letter_pairs(one), _letter_pairs(other))) / 2 + asked


def _dice(first: Set[str], second: Set[str]) -> float:
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _words(question: str) -> Set[str]:
    told = (one for one in content_words(morphemes(question)) if not one.is_light)
    return {feature for one in told for feature in one.features} - _ASKING


def _asked(question: str) -> Set[object]:
    ways = {pattern for pattern in (_HOW, _WHICH_ARTICLE) if pattern.search(question)}
    return {*asked_answers(question), *ways}


def _letter_pairs(text: str) -> Set[str]:
    letters = _NO_LETTER.sub("", text.lower())
    return {letters[at : at + 2] for at in range(len(letters) - 1)}


def with_sources(app: ASGIApp) -> ASGIApp:
    """Return the proxy behind an app that adds the company's rules to what is asked without any.

    So that a question typed by hand needs no more than itself. A request with instructions,
    sources or anything but a chat completion goes through as it is.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or scope["path"] != "/v1/chat/completions":
            await app(scope, receive, send)
            return
        pieces: list[bytes] = []
        message = await receive()
        while message["type"] == "http.request":
            pieces.append(message["body"])
            if not message["more_body"]:
                break
            message = await receive()
        body = _completed(b"".join(pieces))
        MutableScopeHeaders(scope)["content-length"] = str(len(body))
        whole = [HTTPRequestEvent(type="http.request", body=body, more_body=False)]

        async def receive_completed() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            return whole.pop() if whole else await receive()

        await app(scope, receive_completed, send)

    return serve


def _completed(raw: bytes) -> bytes:
    """Return a request with the company's rules if it holds nothing but a conversation."""
    try:
        body = read_object(raw)
    except ValueError:
        return raw
    messages = objects(body.get("messages"))
    if not messages or "guard" in body or "documents" in body:
        return raw
    if any(one.get("role") not in ("user", "assistant") for one in messages):
        return raw
    completed = body | {"messages": [_instructions(SOURCES), *messages]}
    return json.dumps(completed, ensure_ascii=False).encode("utf-8", "surrogatepass")


LONGEST_WAIT_S = 60.0
_TRACE_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Stop:
    """Result of one scene.

    Attributes:
        scene: The scene.
        left: The text that left the proxy.
        asked_model: The model was asked at all.
        action: What the proxy says it did.
        reasons: Why.
        trace_id: Id of the request's trace.
        faults: What is not as the script has it; empty if all is well.
    """

    scene: Scene
    left: str
    asked_model: bool
    action: str
    reasons: str
    trace_id: str
    faults: tuple[str, ...]


async def tour(proxy: str, model: str, key: str) -> AsyncIterator[Stop]:
    """Play every scene.

    Args:
        proxy: Address of the proxy.
        model: Address of the model server, asked directly to compare clean answers.
        key: The tenant's API key.
    """
    async with httpx.AsyncClient(timeout=LONGEST_WAIT_S) as client:
        for scene in SCENES:
            yield await _play(client, scene, proxy, model, {"authorization": f"Bearer {key}"})


async def _play(
    client: httpx.AsyncClient, scene: Scene, proxy: str, model: str, key: Mapping[str, str]
) -> Stop:
    body = scene.request()
    reply = await _ask(client, proxy, body, key)
    faults = []
    left = ""
    if reply.status_code == httpx.codes.OK:
        left = read_reply(reply.content, reply.headers["content-type"]).answers[0].content
    else:
        faults.append(f"status {reply.status_code}: {reply.text}")
    # A stream tells in comments what its headers were sent too early for.
    facts = dict(reply.headers) | read_comments(reply.content)
    action = facts.get("x-guard-action", "")
    reasons = facts.get("x-guard-reasons", "")
    if action != scene.action.value:
        faults.append(f"action {action}, expected {scene.action.value}")
    if not reasons.startswith(scene.reason) or bool(reasons) != bool(scene.reason):
        faults.append(f"reasons {reasons or 'none'}, expected {scene.reason or 'none'}")
    faults += await _text_faults(client, scene, model, reply, left)
    trace_id = reply.headers.get("x-guard-request-id", "")
    if not await _has_trace(client, proxy, trace_id, key):
        faults.append("no trace")
    asked_model = facts.get("x-guard-attempts") != "0"
    return Stop(scene, left, asked_model, action, reasons, trace_id, tuple(faults))


async def _text_faults(
    client: httpx.AsyncClient, scene: Scene, model: str, reply: httpx.Response, left: str
) -> list[str]:
    if scene.action is Action.PASS:
        direct = await _ask(client, model, scene.request(), {})
        return (
            []
            if direct.content == without_comments(reply.content)
            else ["not the model's own bytes"]
        )
    if scene.action is Action.REGENERATE:
        return [] if left == scene.says[-1] else ["not the second answer"]
    return [] if left and left not in scene.says else ["the answer was not replaced"]


async def _ask(
    client: httpx.AsyncClient, server: str, body: JsonObject, headers: Mapping[str, str]
) -> httpx.Response:
    return await client.post(f"{server}/v1/chat/completions", json=body, headers=dict(headers))


async def _has_trace(
    client: httpx.AsyncClient, proxy: str, trace_id: str, key: Mapping[str, str]
) -> bool:
    """Tell whether the trace is there; traces are written a moment after the reply."""
    until = time.monotonic() + _TRACE_WAIT_S
    while time.monotonic() < until:
        found = await client.get(f"{proxy}/traces/{trace_id}", headers=dict(key))
        if found.status_code == httpx.codes.OK:
            return True
        await asyncio.sleep(0.05)
    return False
