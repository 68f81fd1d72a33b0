"""Questions about a canteen that does not exist, and what is read from the replies."""

import json

import httpx
from pydantic import JsonValue

from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.reply import Answer
from proxy.openai_api.sse import EventReader
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import chat_body

QUESTION = "구내식당은 어디에 있나요?"
COMPLAINT = "왜 자꾸 모른다고만 해? 진짜 답답하네"
CLEAN = "본관 지하에 있습니다."
OTHER = "별관 일 층에도 있습니다."
CHINESE = "食堂在本馆地下。"
STILL_CHINESE = "请到本馆地下的食堂。"
SOURCE = "구내식당은 본관 지하에 있으며 열두 시에 엽니다."
LANGUAGE_TEMPLATE = "언어 오류로 답변을 멈추었습니다."
COMPLAINT_TEMPLATE = "불편을 드려 죄송합니다."
TEMPLATES = f"""
templates:
  korean_only: {LANGUAGE_TEMPLATE}
  complaint.venting: {COMPLAINT_TEMPLATE}
"""
TENANTS = {
    "filtering": f"replacement: {{finish_reason: content_filter}}\n{TEMPLATES}",
    "reporting": f"report: true\n{TEMPLATES}",
    "whole": f"stream: {{mode: buffer}}\n{TEMPLATES}",
    "once": f"regeneration: {{enabled: false}}\n{TEMPLATES}",
}


async def ask(
    rig: Rig,
    question: str = QUESTION,
    *,
    tenant: str = "app",
    sources: list[JsonValue] | None = None,
    **more: JsonValue,
) -> httpx.Response:
    """Ask as a tenant; `more` are further members of the request."""
    body = chat_body(question, sources, **more)
    reply = await rig.proxy.chat(body, key=rig.proxy.keys[tenant])
    assert reply.status_code == httpx.codes.OK, reply.text
    return reply


def answers(reply: httpx.Response) -> tuple[Answer, ...]:
    """Return the answers of a plain reply or a stream, in order."""
    return read_reply(reply.content, reply.headers["content-type"]).answers


def texts(reply: httpx.Response) -> list[str]:
    return [answer.content for answer in answers(reply)]


def objects_of(reply: httpx.Response) -> list[JsonObject]:
    """Return the body's object, or those of its events."""
    if reply.headers["content-type"] == "application/json":
        return [reply.json()]
    events = EventReader().feed(reply.content)
    return [json.loads(event.data) for event in events if event.data and event.data[0] == "{"]


def first_message(reply: httpx.Response) -> JsonObject:
    """Return the message of the first choice, or the first delta of a stream."""
    choices = objects_of(reply)[0]["choices"]
    assert isinstance(choices, list)
    assert isinstance(choices[0], dict)
    message = choices[0]["message" if "message" in choices[0] else "delta"]
    assert isinstance(message, dict)
    return message


def refusal_in(reply: httpx.Response) -> str:
    """Return what the first choice refuses with, in one piece."""
    choices = [choice for body in objects_of(reply) for choice in objects(body["choices"])]
    said = (member(choice.get("message", choice.get("delta")), "refusal") for choice in choices)
    return "".join(text for text in said if isinstance(text, str))


def not_checked(reply: httpx.Response) -> list[str]:
    named: str = reply.headers.get("x-guard-not-checked", "")
    return named.split(",")
