"""The dashboard escapes everything that came from a model or a user, in every field of a trace.

Also where no browser's test looks: parts of pages, live lines, downloads, and figures.
"""

from collections.abc import AsyncGenerator
from html.parser import HTMLParser
from urllib.parse import quote

import httpx
import pytest
import pytest_asyncio

from policies.schema.base import PolicyError
from proxy.dashboard.access import SAFE_HEADERS
from proxy.traces.trace import Trace
from tests.browser.poison import PAYLOAD, poisoned
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import pool
from tests.proxy.dashboard.visitor import Visitor
from tests.proxy.traces.making import entries
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

ADDRESS = "javascript:alert(1)//"
BROKEN = f"extends: default\n'{PAYLOAD}': 1\nreasons: {{a: '{PAYLOAD}'}}\nguards: {{x: {{}}}}\n"


class Page(HTMLParser):
    """What of a page could run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.runs: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.runs += [
            f"{tag} {name}" for name in given if name.startswith(("on", "hx-on", "style"))
        ]
        self.runs += [tag for value in given.values() if (value or "").strip().startswith(ADDRESS)]
        if given.get("id") == "pwn" or given.get("src") == "x":
            self.runs.append(f"{tag} of the payload")
        if tag in ("iframe", "object", "embed", "base") or (tag == "script" and "src" not in given):
            self.runs.append(tag)


def _now(trace: Trace, proxy: RunningProxy, **more: str) -> Trace:
    return trace.model_copy(update={"started_at": proxy.services.now(), **more})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[RunningProxy, None]:
    folder = tmp_path_factory.mktemp("poisoned")
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, dashboard=True) as proxy,
    ):
        upstream.says(pool.WRONG_FEE)
        real = await proxy.trace(await proxy.chat(pool.asked()))
        bad = poisoned(real)
        sources = tuple(
            one.model_copy(update={"url": ADDRESS, "title": ADDRESS})
            if hasattr(one, "model_copy")
            else one
            for one in bad.sources
        )
        bad = bad.model_copy(update={"sources": sources})
        shown = _now(bad, proxy, id="shown", tenant="app")
        odd = _now(bad, proxy, id=f"odd{PAYLOAD}", tenant=PAYLOAD)
        await proxy.services.traces.add(entries(shown, odd))
        yield proxy


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def admin(proxy: RunningProxy) -> AsyncGenerator[Visitor, None]:
    async with Visitor(proxy.address) as visitor:
        await visitor.sign_in(ADMIN_TOKEN)
        yield visitor


BAD = quote(PAYLOAD)
SEGMENT = quote(PAYLOAD.replace("/", "").replace("%", ""))
PAGES = [
    "/dashboard",
    f"/dashboard?tenant={BAD}",
    "/dashboard/live",
    f"/dashboard/live?tenant={BAD}&span={BAD}&empty={BAD}",
    "/dashboard/traces",
    "/dashboard/traces?live=1",
    f"/dashboard/traces?tenant={BAD}",
    f"/dashboard/traces?text={BAD}",
    f"/dashboard/traces?guard={BAD}&code={BAD}&door={BAD}&action={BAD}&since={BAD}",
    "/dashboard/traces/live?after=0",
    f"/dashboard/traces/live?after=0&text={quote('<script>')}",
    "/dashboard/traces/shown",
    f"/dashboard/traces/{SEGMENT}",
    "/dashboard/playground",
    "/dashboard/playground?trace=shown",
    f"/dashboard/playground?example={BAD}&tenant={BAD}",
    "/dashboard/policies",
    "/dashboard/policies/app?trace=shown",
    f"/dashboard/policies/app?against={BAD}",
    "/dashboard/policies/app/draft?trace=shown",
    f"/dashboard/policies/{SEGMENT}",
    f"/dashboard/login?next={BAD}",
    f"/dashboard/{SEGMENT}",
]


def assert_harmless(page: httpx.Response) -> None:
    assert page.status_code < 500
    assert {name: page.headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS
    assert Page(page.text).runs == []


@each_row("language", ["ko", "en"])
@each_row("path", PAGES)
async def test_no_word_of_others_becomes_part_of_a_page(
    admin: Visitor, path: str, language: str
) -> None:
    assert_harmless(await admin.get(path, accept_language=language))
    assert_harmless(await admin.get(path, hx_request="true", accept_language=language))


async def test_the_payload_was_there_to_be_escaped(admin: Visitor) -> None:
    for path in ("/dashboard/traces", "/dashboard/traces/live?after=0", "/dashboard/traces/shown"):
        assert "&lt;script&gt;alert(1)" in (await admin.get(path)).text
    assert Page(f"<p>{PAYLOAD}</p>").runs == [
        "script",
        "img onerror",
        "img of the payload",
        "b of the payload",
    ]


async def test_a_path_that_can_be_read_in_two_ways_is_no_page(admin: Visitor) -> None:
    reply = await admin.get(f"/dashboard/{quote(PAYLOAD, safe='')}")

    assert (reply.status_code, reply.headers["content-type"]) == (404, "application/json")


async def test_a_download_is_a_file_and_no_page(admin: Visitor) -> None:
    file = await admin.get("/dashboard/traces/shown/json")

    assert file.headers["content-type"].startswith("application/json")
    assert file.headers["content-disposition"].startswith("attachment")
    assert file.headers["x-content-type-options"] == "nosniff"
    assert PAYLOAD in file.json()["question"]


async def test_what_is_typed_in_comes_back_as_words(admin: Visitor) -> None:
    fields = (
        "tenant",
        "question",
        "answer",
        "model",
        "sources",
        "source_title",
        "source_text",
        "way",
    )
    tried = await admin.send("/dashboard/playground", **dict.fromkeys(fields, PAYLOAD))
    assert_harmless(tried)
    for do in ("check", "preview", PAYLOAD):
        draft = {"text": BROKEN, "do": do, "trace": "shown"}
        assert_harmless(await admin.send("/dashboard/policies/app/draft", **draft))
    assert_harmless(await admin.send("/dashboard/login", key=PAYLOAD, next=PAYLOAD))


async def test_errors_in_policies_come_as_words(admin: Visitor, proxy: RunningProxy) -> None:
    (proxy.services.settings.policies / "zz.yaml").write_text(BROKEN)
    outcome = proxy.services.policies.reload()

    assert isinstance(outcome.error, PolicyError)
    assert "<script>" in str(outcome.error)
    for path in ("/dashboard", "/dashboard/live", "/dashboard/policies", "/dashboard/policies/zz"):
        assert_harmless(await admin.get(path))
