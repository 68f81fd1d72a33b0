"""What the dashboard's tests show: real requests of two tenants, and a past made of them."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from policies.schema.sections import Tracing
from proxy.openai_api.json_body import JsonObject
from proxy.traces.store import Entry
from proxy.traces.trace import Trace
from tests.browser import kitchen
from tests.browser.poison import poisoned
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import pool

APP = "app"
OTHER = "library"
"""A second tenant, whose model server is away."""
WORDLESS = "clinic"
"""A third one, whose traces hold no words."""
NO_WORDS = "tracing:\n  text: none\n"
AWAY = "upstream:\n  base_url: http://127.0.0.1:9/v1\nguards:\n  phrases:\n    mode: shadow\n"

SHADOW = "shadow_policy: strict\n"
HOSTILE = "<img src=x onerror=alert(1)> {{ 7 * 7 }} 월 이용료는 얼마인가요?"
"""A question that must never become a part of a page."""


@dataclass(frozen=True)
class Played:
    """A request to play: what is asked, and what the model says first and when asked again."""

    body: JsonObject
    says: tuple[str, ...]
    tenant: str = APP
    also_says: tuple[str, ...] = ()
    """The same of the second choice."""
    path: str = "/v1/chat/completions"


def _with_picture(body: JsonObject) -> JsonObject:
    """Return a request that also shows the model what no guard can look at."""
    picture: JsonObject = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    text: JsonObject = {"type": "text", "text": pool.QUESTION}
    return body | {"messages": [{"role": "user", "content": [text, picture]}]}


SCENES: Mapping[str, Played] = {
    "passed": Played(pool.asked(), (f"{pool.FEE} {pool.HOURS}",)),
    "streamed": Played(pool.asked(stream=True), (f"{pool.FEE} {pool.LOCKER}",)),
    "mended": Played(pool.asked(), ("솔내수영장 이용 시간은 평일 06:00부터 21:00까지입니다. [1]",)),
    "trimmed": Played(pool.asked(), (f"{pool.FEE} {pool.HOURS} {pool.WRONG_LOCKER}",)),
    "regenerated": Played(pool.asked(), (pool.WRONG_FEE, f"{pool.FEE} {pool.HOURS}")),
    "replaced": Played(pool.asked(), (pool.WRONG_FEE,)),
    "unanswerable": Played(chat_body("제15조 연차휴가 규정은 며칠인가요?", []), ("15일입니다.",)),
    "complaint": Played(
        chat_body("아까부터 엉뚱한 답만 하네. 장난해? 담당자 바꿔!", pool.SOURCES), ("네.",)
    ),
    "beside": Played(chat_body("솔내수영장 월 이용료는 얼마인가요?", pool.SOURCES), (pool.HOURS,)),
    "pictured": Played(_with_picture(pool.asked()), (pool.FEE,)),
    "hostile": Played(chat_body(HOSTILE, pool.SOURCES), (f"{pool.FEE} <b>굵게</b>",)),
    "failed": Played(pool.asked(), ("네.",), OTHER),
    "choices": Played(
        kitchen.asked(n=2),
        (kitchen.LONG_WRONG, kitchen.LONG),
        also_says=(kitchen.OTHER_WRONG, kitchen.OTHER_WRONG),
    ),
    "ended": Played(
        kitchen.asked(stream=True), (kitchen.PRICE + kitchen.BOOKING + kitchen.WRONG_REST,)
    ),
    "verified": Played(kitchen.to_verify(kitchen.LONG_WRONG), (), path="/v1/verify"),
    "wordless": Played(pool.asked(), (pool.WRONG_FEE, f"{pool.FEE} {pool.HOURS}"), WORDLESS),
}


@dataclass(frozen=True)
class Scene:
    """The running proxy, its model server, and the traces of what was played, by scene."""

    proxy: RunningProxy
    upstream: ScriptedUpstream
    traces: Mapping[str, Trace]


@asynccontextmanager
async def open_scene(folder: Path) -> AsyncGenerator[Scene, None]:
    """Run a proxy in which everything of `SCENES` happened, just now and over the last days."""
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(
            folder, upstream, SHADOW, others={OTHER: AWAY, WORDLESS: NO_WORDS}, dashboard=True
        ) as proxy,
    ):
        traces = {}
        for name, played in SCENES.items():
            first, second = played.says[:1], played.says[-1:]
            more_first, more_second = played.also_says[:1], played.also_says[-1:]
            upstream.says_choices(first + more_first, second + more_second)
            reply = await proxy.send(
                json.dumps(played.body).encode(), tenant=played.tenant, path=played.path
            )
            traces[name] = await proxy.trace(reply)
        traces |= {
            "poisoned": poisoned(traces["choices"]),
            "poisoned-end": poisoned(traces["ended"]),
        }
        keep = Tracing()
        await proxy.services.traces.add(
            [Entry.of(traces[name], keep) for name in ("poisoned", "poisoned-end")]
        )
        await _add_past(proxy, traces)
        yield Scene(proxy, upstream, traces)


# How often each scene happened in an hour of the past, in turns.
_PAST = (
    {"passed": 9, "streamed": 4, "mended": 2, "trimmed": 1, "regenerated": 2},
    {"passed": 9, "streamed": 9, "beside": 2, "regenerated": 1, "replaced": 1, "unanswerable": 2},
    {"passed": 5, "streamed": 3, "complaint": 1, "trimmed": 2, "failed": 1, "mended": 1},
    {"passed": 9, "streamed": 8, "unanswerable": 1, "regenerated": 3, "pictured": 2},
    {"passed": 2, "streamed": 1},
)
_HOURS = 30


async def _add_past(proxy: RunningProxy, traces: Mapping[str, Trace]) -> None:
    """Store copies of what was played as if it had happened before."""
    keep = Tracing()
    this_hour = proxy.services.now().replace(minute=0, second=0)
    past = [
        Entry.of(_copy(traces[name], this_hour - timedelta(hours=hour, minutes=-6 * turn)), keep)
        for hour in range(1, _HOURS)
        for name, times in _PAST[hour % len(_PAST)].items()
        for turn in range(1, times + 1)
    ]
    past.sort(key=lambda entry: entry.expires_ms)
    await proxy.services.traces.add(past)


def _copy(trace: Trace, started_at: datetime) -> Trace:
    return trace.model_copy(update={"id": uuid4().hex, "started_at": started_at})
