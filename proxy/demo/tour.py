"""Sends the tour through a proxy as a client would, and compares what comes out."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import httpx

from policies.schema.guard_rule import Action
from proxy.demo.script import SCENES, Scene
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import read_comments, without_comments

LONGEST_WAIT_S = 60.0
_TRACE_WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Stop:
    """How one scene came out.

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
    told = dict(reply.headers) | read_comments(reply.content)
    action = told.get("x-guard-action", "")
    reasons = told.get("x-guard-reasons", "")
    if action != scene.action.value:
        faults.append(f"action {action}, expected {scene.action.value}")
    if not reasons.startswith(scene.reason) or bool(reasons) != bool(scene.reason):
        faults.append(f"reasons {reasons or 'none'}, expected {scene.reason or 'none'}")
    faults += await _text_faults(client, scene, model, reply, left)
    trace_id = reply.headers.get("x-guard-request-id", "")
    if not await _has_trace(client, proxy, trace_id, key):
        faults.append("no trace")
    asked_model = told.get("x-guard-attempts") != "0"
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
