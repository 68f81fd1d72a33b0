"""`POST /v1/feedback`: an app labels its own requests, over sockets and in both stores."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from pydantic import JsonValue

from proxy.feedback import MOST_NOTE_CHARS
from proxy.openai_api.json_body import JsonObject
from proxy.traces.trace import Label
from proxy.views.findings import place_of
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import pool
from tests.proxy.dashboard.visitor import Visitor
from tests.tables import each_row

CALL = "담당자 번호는 010-1234-5678입니다."
WORDLESS = "tracing:\n  text: none\n"
OPEN = "upstream:\n  base_url: {address}/v1\n  pass_caller_key: true\n"


pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class App:
    """An app behind a proxy, with tenants beside it."""

    proxy: RunningProxy
    upstream: ScriptedUpstream

    async def asks(self, says: str, tenant: str = "app") -> str:
        """Ask what the model answers with this, and return the request's id once it is stored."""
        self.upstream.says(says)
        reply = await self.proxy.chat(pool.asked(), key=self.proxy.keys[tenant])
        return (await self.proxy.trace(reply)).id

    async def labels(
        self, trace_id: str, label: str | None, *, tenant: str = "app", **more: JsonValue
    ) -> httpx.Response:
        body = {"request_id": trace_id, "label": label, **more}
        return await self.proxy.client.post(
            f"{self.proxy.base_url}/feedback",
            json=body,
            headers={"authorization": f"Bearer {self.proxy.keys[tenant]}"},
        )


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["embedded", "redis"])
async def app(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, redis_server: str
) -> AsyncGenerator[App, None]:
    url = redis_server if request.param == "redis" else None
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(
            tmp_path_factory.mktemp("app"),
            upstream,
            others={
                "other": "",
                "clinic": WORDLESS,
                "open": OPEN.format(address=upstream.address),
            },
            redis_url=url,
            dashboard=True,
        ) as proxy,
    ):
        yield App(proxy, upstream)


async def test_a_label_is_given_changed_and_withdrawn(app: App) -> None:
    trace_id = await app.asks(pool.FEE)

    given = await app.labels(trace_id, "missed", note="요금이 다릅니다", quote="45,000원")
    assert given.status_code == 200
    said = given.json()
    assert said | {"at": None} == {
        "object": "feedback",
        "request_id": trace_id,
        "label": "missed",
        "note": "요금이 다릅니다",
        "quote": "45,000원",
        "choice": 0,
        "pinned": False,
        "at": None,
    }
    trace = await app.proxy.trace_of(trace_id)
    assert trace.feedback is not None
    assert trace.feedback.label is Label.MISSED
    assert trace.feedback.span is not None
    span = trace.feedback.span
    assert trace.replies[0][span.start : span.end] == "45,000원"

    again = await app.labels(trace_id, "missed", note="요금이 다릅니다", quote="45,000원")
    assert again.json() == said

    changed = await app.labels(trace_id, "right")
    assert (changed.json()["label"], changed.json()["quote"]) == ("right", None)

    withdrawn = await app.labels(trace_id, None)
    assert (withdrawn.json()["label"], withdrawn.json()["at"]) == (None, None)
    assert (await app.proxy.trace_of(trace_id)).feedback is None


async def test_nobody_labels_what_is_not_theirs(app: App) -> None:
    trace_id = await app.asks(pool.FEE)

    for tenant, told in (("other", trace_id), ("app", "0" * 32)):
        reply = await app.labels(told, "right", tenant=tenant)
        assert reply.status_code == 404
        assert reply.json()["error"]["code"] == "trace_not_found"
    for key in (None, "gp-app-wrong", ADMIN_TOKEN):
        reply = await app.proxy.client.post(
            f"{app.proxy.base_url}/feedback",
            json={"request_id": trace_id, "label": "right"},
            headers={} if key is None else {"authorization": f"Bearer {key}"},
        )
        assert reply.status_code == 401
        assert reply.json()["error"]["code"] == "invalid_api_key"
    assert (await app.proxy.trace_of(trace_id)).feedback is None


async def test_a_tenants_name_in_the_path_is_no_key(app: App) -> None:
    app.upstream.says(pool.FEE)
    reply = await app.proxy.client.post(
        f"{app.proxy.address}/t/open/v1/chat/completions",
        json=dict(pool.asked()),
        headers={"authorization": "Bearer of-the-model-server"},
    )
    trace = await app.proxy.trace(reply)

    refused = await app.proxy.client.post(
        f"{app.proxy.address}/t/open/v1/feedback",
        json={"request_id": trace.id, "label": "right"},
        headers={"authorization": "Bearer of-the-model-server"},
    )

    assert refused.status_code == 401
    assert (await app.proxy.trace_of(trace.id)).feedback is None


REFUSED: list[tuple[JsonObject, str | None]] = [
    ({"label": "wrong"}, "label"),
    ({"label": "right", "quote": "45,000원"}, None),
    ({"label": "missed", "quote": "없는 말"}, "quote"),
    ({"label": "missed", "quote": ""}, "quote"),
    ({"label": "missed", "quote": "45,000원", "choice": 3}, "choice"),
    ({"label": "right", "note": "x" * (MOST_NOTE_CHARS + 1)}, "note"),
    ({"label": "right", "pinned": True}, "pinned"),
    ({"label": "right", "request_id": "a b"}, "request_id"),
]


async def test_what_cannot_be_is_refused_by_name(app: App) -> None:
    trace_id = await app.asks(pool.FEE)

    for more, param in REFUSED:
        body: JsonObject = {"request_id": trace_id, **more}
        reply = await app.proxy.send(json.dumps(body).encode(), path="/v1/feedback")

        assert reply.status_code == 400, more
        assert reply.json()["error"]["type"] == "invalid_request_error"
        assert reply.json()["error"]["param"] == param, more
    assert (await app.proxy.trace_of(trace_id)).feedback is None


async def test_words_are_kept_as_the_policy_says(app: App) -> None:
    masked_id = await app.asks(f"{pool.FEE} {CALL}")
    wordless_id = await app.asks(pool.FEE, "clinic")

    masked = await app.labels(masked_id, "missed", note=CALL, quote="45,000원입니다. [1]")
    wordless = await app.labels(wordless_id, "missed", note=CALL, tenant="clinic")
    marked = await app.labels(wordless_id, "missed", quote="45,000원", tenant="clinic")

    assert masked.status_code == 200
    assert "010-1234-5678" not in masked.text
    assert wordless.json()["note"] == ""
    assert (marked.status_code, marked.json()["error"]["param"]) == (400, "quote")


@each_row(
    "reply, quote, near, expected",
    [
        pytest.param("요금은 45,000원입니다.", "45,000원", 0, (4, 11), id="inside-words"),
        pytest.param(" 요금은\n\n 45,000원입니다.", "은 45,000원", 0, (3, 14), id="white-space"),
        pytest.param("가 나 가 나 가", "가", 5, (4, 5), id="nearest"),
        pytest.param("가 나 가 나 가", "가", 99, (8, 9), id="the-last"),
        pytest.param("가나", "가 나", 0, None, id="other-words"),
        pytest.param("가나", " ", 0, None, id="no-words"),
        pytest.param("", "가", 0, None, id="no-reply"),
        # Tried from each of its places a search takes seconds, in which nobody else is served.
        pytest.param("가 " * 100_000, "가 " * 999 + "나", 0, None, id="again-and-again"),
    ],
)
async def test_a_quote_is_found_whatever_the_white_space(
    reply: str, quote: str, near: int, expected: tuple[int, int] | None
) -> None:
    found = place_of(quote, reply, near)

    assert (found and (found.start, found.end)) == expected


async def test_what_was_pinned_on_the_dashboard_stays(app: App) -> None:
    trace_id = await app.asks(pool.FEE)
    async with Visitor(app.proxy.address) as visitor:
        await visitor.sign_in(app.proxy.key)
        path = f"/dashboard/traces/{trace_id}/feedback"
        assert (await visitor.send(path, label="right", pinned="1")).status_code == 303

        refused = await app.labels(trace_id, None)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "feedback_pinned")

        await visitor.send(path, label="right")
        assert (await app.labels(trace_id, None)).status_code == 200


async def test_a_store_that_is_away_is_said(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path / "redis")
    server.start()
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, redis_url=server.url) as proxy,
    ):
        app = App(proxy, upstream)
        trace_id = await app.asks(pool.FEE)
        server.kill()

        reply = await app.labels(trace_id, "right")

        assert reply.status_code == 503
        assert reply.json()["error"]["code"] == "trace_store_unavailable"


async def test_a_question_without_an_answer_can_be_labelled(app: App) -> None:
    reply = await app.proxy.chat(chat_body("제15조 연차휴가 규정은 며칠인가요?", []))
    trace = await app.proxy.trace(reply)

    assert (await app.labels(trace.id, "false_alarm")).status_code == 200
