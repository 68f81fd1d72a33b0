"""
title: guard-proxy
description: Checks questions, and holds answers against the sources of the chat, by guard-proxy.
version: 1.1.0
required_open_webui_version: 0.5.0
license: Apache-2.0
"""

import html
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from pydantic import BaseModel, Field

Emitter = Callable[[dict[str, Any]], Awaitable[None]]

UNAVAILABLE = "지금은 답변을 확인할 수 없어 안내해 드리지 못합니다. 잠시 후 다시 질문해 주세요."
NOT_CHECKED = "답변을 확인하지 못했습니다."
CORRECTED = "자료와 다른 부분을 바로잡았습니다."
REPLACED = "자료에서 확인되지 않아 답변을 바꾸었습니다."
MAY_FETCH = [{"type": "function", "function": {"name": "retrieval"}}]
MOST_WAITING = 200
REASONING = re.compile(r"<details\b[^>]*>.*?</details>\s*", re.DOTALL)


class Refused(Exception):
    """Ends a request; Open WebUI shows its words to the user."""


class Filter:
    """Asks guard-proxy before the model and after it."""

    class Valves(BaseModel):
        """Settings that an administrator fills in."""

        priority: int = Field(0, description="Filters run from the lowest number to the highest.")
        url: str = Field("http://guard-proxy:8080/v1", description="Address of guard-proxy.")
        key: str = Field(
            "",
            description="A tenant's key of guard-proxy.",
            json_schema_extra={"input": {"type": "password"}},
        )
        timeout_s: float = Field(30.0, description="Seconds to wait for guard-proxy.")
        refuse_unchecked: bool = Field(
            True, description="Refuse what cannot be checked; otherwise it passes with a note."
        )

    def __init__(self) -> None:
        self.valves = self.Valves()
        self._prompts: OrderedDict[str, list[Any]] = OrderedDict()

    async def inlet(
        self, body: dict[str, Any], __event_emitter__: Emitter | None = None
    ) -> dict[str, Any]:
        """Answer a complaint. Sources are added later, so nothing is refused for lack of them."""
        await self._check_question(body["messages"], MAY_FETCH, __event_emitter__)
        return body

    async def request(
        self,
        body: dict[str, Any],
        __event_emitter__: Emitter | None = None,
        __metadata__: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Refuse a question without evidence; Open WebUI calls this from 0.11 on, with sources."""
        await self._check_question(body["messages"], body.get("tools"), __event_emitter__)
        # Without streaming, Open WebUI 0.12 gives `outlet` no sources: they are in these messages.
        message_id = (__metadata__ or {}).get("message_id")
        if message_id:
            self._prompts[message_id] = list(body["messages"])
            if len(self._prompts) > MOST_WAITING:
                self._prompts.popitem(last=False)
        return body

    async def outlet(
        self, body: dict[str, Any], __event_emitter__: Emitter | None = None
    ) -> dict[str, Any]:
        """Hold the answer against its sources. What is raised here would let it pass unsaid."""
        *before, answer = body["messages"]
        prompt = self._prompts.pop(answer.get("id") or "", None)
        text = REASONING.sub("", answer.get("content") or "")
        if answer.get("role") != "assistant" or not text.strip():
            return body
        if prompt is None or answer.get("sources"):
            prompt = [{"role": "system", "content": context_of(answer.get("sources") or [])}]
            prompt += [{"role": one["role"], "content": one["content"]} for one in before]
        try:
            told, not_checked = await self._ask("response", prompt, texts=[text])
        except (httpx.HTTPError, ValueError):
            if self.valves.refuse_unchecked:
                replace(answer, UNAVAILABLE)
            await say(__event_emitter__, NOT_CHECKED)
            return body
        if told["action"] == "BLOCKED":
            replace(answer, told["blocked_reason"])
            await say(__event_emitter__, REPLACED)
        elif told["action"] == "GUARDRAIL_INTERVENED":
            replace(answer, told["texts"][0])
            await say(__event_emitter__, CORRECTED)
        elif not_checked:
            await say(__event_emitter__, NOT_CHECKED)
        return body

    async def _check_question(
        self, messages: list[Any], tools: object, emitter: Emitter | None
    ) -> None:
        try:
            told, _ = await self._ask("request", messages, tools=tools)
        except (httpx.HTTPError, ValueError):
            if self.valves.refuse_unchecked:
                raise Refused(UNAVAILABLE) from None
            await say(emitter, NOT_CHECKED)
            return
        if told["action"] == "BLOCKED":
            raise Refused(told["blocked_reason"])

    async def _ask(
        self, input_type: str, messages: list[Any], **more: object
    ) -> tuple[dict[str, Any], str]:
        """Return what guard-proxy says, and what it could not check."""
        async with httpx.AsyncClient(timeout=self.valves.timeout_s) as client:
            reply = await client.post(
                f"{self.valves.url.rstrip('/')}/beta/litellm_basic_guardrail_api",
                headers={"Authorization": f"Bearer {self.valves.key}"},
                json={"input_type": input_type, "structured_messages": messages, **more},
            )
        return reply.raise_for_status().json(), reply.headers.get("x-guard-not-checked", "")


def context_of(sources: list[dict[str, Any]]) -> str:
    """Write the sources of an answer as Open WebUI writes them for the model."""
    passages = [
        f'<source id="{number}" name="{html.escape(name)}">{text}</source>'
        for number, (name, text) in enumerate(
            (
                ((one.get("source") or {}).get("name") or "", text)
                for one in sources
                for text in one.get("document") or []
            ),
            start=1,
        )
    ]
    return "\n".join(["<context>", *passages, "</context>"])


def replace(message: dict[str, Any], text: str) -> None:
    """Put a text in the place of an answer; Open WebUI shows `output` where there is one."""
    message["content"] = text
    if message.get("output"):
        part = {"type": "output_text", "text": text}
        item = {"type": "message", "status": "completed", "role": "assistant", "content": [part]}
        message["output"] = [item]


async def say(emitter: Emitter | None, text: str) -> None:
    """Show a line above the answer."""
    if emitter is not None:
        await emitter({"type": "status", "data": {"description": text, "done": True}})
