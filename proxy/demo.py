"""The demo: a scripted model server without a model, its script, and the tour through it.

The company, its rules and its numbers are invented. Its questions can be asked by hand as well, in
other words: the model goes by what is most alike, and a request without sources gets the company's.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import httpx
from litestar import Litestar, Request, Response, get, post
from litestar.datastructures import MutableScopeHeaders, State
from litestar.enums import ScopeType
from litestar.response import Stream
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
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject, member, objects, read_object
from proxy.openai_api.sse import DONE, read_comments, without_comments, write_event
from proxy.pipeline.regeneration import OPENING

MODEL = "scripted-ko"
CREATED = 1_700_000_000
_PIECE_CHARS = 3


@dataclass(frozen=True, slots=True)
class Said:
    """Scripted reply of the model to one request.

    Attributes:
        texts: One for each choice.
        tool_calls: Calls of tools instead of an answer, as in a message.
        message: Further members of each message, such as ``reasoning_content``.
        finish_reason: Why it ended.
        piece_pause_s: Pause before each piece of a stream, and before a plain reply, in seconds.
    """

    texts: Sequence[str] = ("",)
    tool_calls: Sequence[JsonObject] = ()
    message: JsonObject = field(default_factory=dict)
    finish_reason: str = "stop"
    piece_pause_s: float = 0.0


Script = Callable[[JsonObject], Said]
"""From a request's body to what is said."""


def model_server(script: Script) -> Litestar:
    """Return the server as an ASGI app."""
    return Litestar(
        [_complete, _models, _embeddings],
        state=State({"script": script}),
        openapi_config=None,
        logging_config=None,
    )


@post("/v1/chat/completions", status_code=200)
async def _complete(request: Request[object, object, State]) -> Response[bytes] | Stream:
    body: JsonObject = json.loads(await request.body())
    said: Said = request.app.state.script(body)
    if body.get("stream"):
        return Stream(_stream(body, said), media_type="text/event-stream")
    await asyncio.sleep(said.piece_pause_s)
    return _json(completion(body, said))


@get("/v1/models")
async def _models() -> Response[bytes]:
    model: JsonObject = {
        "id": MODEL,
        "object": "model",
        "created": CREATED,
        "owned_by": "guard-proxy",
    }
    return _json({"object": "list", "data": [model]})


@post("/v1/embeddings", status_code=200)
async def _embeddings(request: Request[object, object, State]) -> Response[bytes]:
    body: JsonObject = json.loads(await request.body())
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    vectors: list[JsonObject] = [
        {"object": "embedding", "index": index, "embedding": [float(len(str(text))), 0.5]}
        for index, text in enumerate(texts)
    ]
    return _json({"object": "list", "data": [*vectors], "model": body["model"], "usage": {}})


def _json(body: JsonObject) -> Response[bytes]:
    return Response(json.dumps(body, ensure_ascii=False).encode(), media_type="application/json")


def completion(request: JsonObject, said: Said) -> JsonObject:
    """Return a chat completion."""
    return {
        **_frame(request, "chat.completion"),
        "choices": [
            {
                "index": index,
                "message": _message(said, text),
                "logprobs": None,
                "finish_reason": said.finish_reason,
            }
            for index, text in enumerate(said.texts)
        ],
        "usage": usage(request, said),
    }


def chunks(request: JsonObject, said: Said) -> list[JsonObject]:
    """Return the chunks of a streamed chat completion; the texts come in pieces of 3 characters."""
    frame = _frame(request, "chat.completion.chunk")
    found: list[JsonObject] = []

    def add(index: int, delta: JsonObject, finish_reason: str | None = None) -> None:
        choice: JsonObject = {"index": index, "delta": delta, "finish_reason": finish_reason}
        found.append(frame | {"choices": [choice]})

    for index, text in enumerate(said.texts):
        add(index, {**_message(said, ""), "role": "assistant"})
        for start in range(0, len(text), _PIECE_CHARS):
            add(index, {"content": text[start : start + _PIECE_CHARS]})
        add(index, {}, said.finish_reason)
    if member(request.get("stream_options"), "include_usage"):
        found.append(frame | {"choices": [], "usage": usage(request, said)})
    return found


async def _stream(request: JsonObject, said: Said) -> AsyncIterator[bytes]:
    for chunk in chunks(request, said):
        await asyncio.sleep(said.piece_pause_s)
        yield write_event(chunk)
    yield DONE


def _frame(request: JsonObject, kind: str) -> JsonObject:
    return {
        "id": "chatcmpl-scripted",
        "object": kind,
        "created": CREATED,
        "model": request.get("model"),
        "system_fingerprint": "scripted",
    }


def _message(said: Said, text: str) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": text, **said.message}
    if said.tool_calls:
        message |= {"content": None, "tool_calls": list(said.tool_calls)}
    return message


def usage(request: JsonObject, said: Said) -> JsonObject:
    """Return made-up but steady token counts: a token for every two characters."""
    prompt = sum(len(str(message.get("content"))) for message in objects(request.get("messages")))
    completed = sum(len(text) for text in said.texts)
    counts = (prompt // 2, completed // 2)
    return {
        "prompt_tokens": counts[0],
        "completion_tokens": counts[1],
        "total_tokens": sum(counts),
    }


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
        says: What the model says, first and when it is asked again; the last one stands for all
            further times.
        action: What has to happen.
        reason: How the reason has to begin; empty for none.
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
        left: The text that left the proxy.
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
