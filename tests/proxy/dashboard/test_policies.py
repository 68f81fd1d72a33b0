"""The pages about policies, request by request: what they say, to whom, and what drafts may do."""

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncGenerator
from html import unescape
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from policies.schema.keys import new_key
from proxy.dashboard.draft_trials import (
    LONGEST_CHARS,
    MOST_WAITING,
    Crowded,
    DraftProcess,
    TookTooLong,
    text_of,
    with_keys,
)
from proxy.dashboard.drafts import MOST_FORM_BYTES
from proxy.dashboard.policies import without_folders
from tests.browser.poison import PAYLOAD
from tests.fakes.running_proxy import (
    ADMIN_TOKEN,
    DEADLINE_S,
    RunningProxy,
    chat_body,
    running_proxy,
)
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import pool
from tests.proxy.dashboard.visitor import Visitor
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = "/dashboard/policies"
BASE = "report: true\n"
HOSTILE_TEMPLATES = "templates:\n  '<b id=pwn>': '<script>alert(1)</script>'\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[RunningProxy, None]:
    """The tenant ``app`` extends the file of another tenant, and is tried under it."""
    folder = tmp_path_factory.mktemp("policies")
    (folder / "policies").mkdir()
    (folder / "policies" / "groundwork.yaml").write_text(BASE, encoding="utf-8")
    others = {
        "neighbour": "guards:\n  numbers:\n    action: replace\n",
        "unseen-one": HOSTILE_TEMPLATES,
    }
    async with ScriptedUpstream().running() as upstream:
        upstream.says(f"{pool.FEE} {pool.HOURS} {pool.WRONG_LOCKER}")
        more = "shadow_policy: neighbour\n"
        async with running_proxy(folder, upstream, more, others=others, dashboard=True) as running:
            path = running.services.policies.directory / "app.yaml"
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("extends: default", "extends: neighbour"))
            assert running.services.policies.reload().error is None
            yield running


@pytest_asyncio.fixture(loop_scope="module")
async def admin(visitor: Visitor) -> Visitor:
    await visitor.sign_in(ADMIN_TOKEN)
    return visitor


@pytest_asyncio.fixture(loop_scope="module")
async def tenant(proxy: RunningProxy) -> AsyncGenerator[Visitor, None]:
    """The tenant ``app``."""
    async with Visitor(proxy.address) as visitor:
        await visitor.sign_in(proxy.keys["app"])
        yield visitor


def text_on_disk(proxy: RunningProxy, name: str = "app") -> str:
    return (proxy.services.policies.directory / f"{name}.yaml").read_text(encoding="utf-8")


async def drafted(visitor: Visitor, text: str, *, name: str = "app", **form: str) -> str:
    """Return what came of a draft, as the page's script gets it."""
    reply = await visitor.client.post(
        f"{PAGE}/{name}/draft",
        data={"text": text, **form},
        headers={"origin": visitor.address, "hx-request": "true"},
    )
    assert reply.status_code == httpx.codes.OK
    return reply.text


# --- who sees what ---------------------------------------------------------------------------


async def test_the_admin_sees_all_policies_and_what_they_extend(admin: Visitor) -> None:
    page = (await admin.get(PAGE)).text
    assert re.findall(r'id="policy-\d+"><a href="/dashboard/policies/([\w-]+)"', page) == [
        "app",
        "neighbour",
        "unseen-one",
        "groundwork",
    ]
    assert re.search(r"<dd>neighbour <span[^>]*>→</span> default</dd>", page)


async def test_a_tenant_learns_nothing_of_others_even_of_what_it_inherits(
    tenant: Visitor, proxy: RunningProxy
) -> None:
    pages = [
        (await tenant.get(path)).text
        for path in (PAGE, f"{PAGE}/app", f"{PAGE}/app?against=strict", f"{PAGE}?trace=x")
    ]
    hashes = [
        key
        for loaded in proxy.services.policies.snapshot.tenants.values()
        for key in loaded.policy.keys
    ]
    secrets = [
        "neighbour",
        "unseen-one",
        "groundwork",
        str(proxy.services.policies.directory),
        "hmac",
    ]
    for page in pages:
        main = page[page.index("<main") :]
        for secret in [*secrets, *(key.partition(":")[2][:8] for key in hashes)]:
            assert secret not in main.replace("base_url", "").replace("default.yaml", "")
    assert "다른 파일" in pages[0]
    rows = re.findall(r"guards\.numbers\.action.*?</tr>", pages[1], re.DOTALL)
    assert len(rows) == 2  # what differs from the default, and every value
    for row in rows:
        assert "replace" in row
        assert "다른 파일" in row


@pytest.mark.parametrize(
    "path",
    [f"{PAGE}/neighbour", f"{PAGE}/groundwork", f"{PAGE}/app/draft", f"{PAGE}/neighbour/draft"],
)
async def test_a_tenant_finds_no_other_policy_and_no_draft(tenant: Visitor, path: str) -> None:
    assert (await tenant.get(path)).status_code == httpx.codes.NOT_FOUND
    reply = await tenant.send(path, text="extends: neighbour\n", do="check")
    assert reply.status_code in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED)


async def test_a_tenant_cannot_compare_with_others(tenant: Visitor) -> None:
    page = (await tenant.get(f"{PAGE}/app?against=neighbour")).text
    assert '<th scope="col">default</th>' in page
    assert '<th scope="col">neighbour</th>' not in page
    assert "<option>neighbour" not in page
    assert "<option>strict" in page


async def test_what_policies_hold_is_escaped(admin: Visitor) -> None:
    for path in (
        PAGE,
        f"{PAGE}/unseen-one",
        f"{PAGE}/unseen-one?against=strict",
        f"{PAGE}/unseen-one/draft",
    ):
        page = (await admin.get(path)).text
        assert "<b id=pwn>" not in page
        assert "<script>alert" not in page
    assert "<b id=pwn>" in unescape((await admin.get(f"{PAGE}/unseen-one")).text)


async def test_policies_that_do_not_exist(admin: Visitor) -> None:
    for path in (f"{PAGE}/nobody", f"{PAGE}/nobody/draft", f"{PAGE}/..%2F..%2Fetc%2Fpasswd/draft"):
        assert (await admin.get(path)).status_code == httpx.codes.NOT_FOUND


async def test_a_trace_leads_to_a_draft_of_its_policy(admin: Visitor, proxy: RunningProxy) -> None:
    trace = await proxy.trace(await proxy.chat(pool.asked()))
    reply = await admin.get(f"{PAGE}?trace={trace.id}")
    assert reply.headers["location"] == f"{PAGE}/app/draft?trace={trace.id}"
    assert (await admin.get(f"{PAGE}?trace=unknown")).status_code == httpx.codes.OK


# --- drafts --------------------------------------------------------------------------------


async def test_a_draft_begins_as_the_file_without_its_hashes(
    admin: Visitor, proxy: RunningProxy
) -> None:
    page = unescape((await admin.get(f"{PAGE}/app/draft")).text)
    assert "extends: neighbour\ntenant: app\nkeys:\n  - hmac:" in page
    assert re.search(r"hmac:[0-9a-f]{8}…\n", page)
    assert not re.search(r"[0-9a-f]{64}", page)
    file = proxy.services.policies.directory / "app.yaml"
    assert f"guard-proxy replay --policy {file} --tenant app" in page
    as_it_is = text_of(file)
    assert "적용 중인 정책과 똑같이 판정합니다" in await drafted(admin, as_it_is)


DRAFTS = [
    pytest.param("guards:\n  numbers:\n    moed: off\n", "did you mean 'mode'", id="wrong-key"),
    pytest.param("guards: [\n", "is not well-formed YAML", id="no-yaml"),
    pytest.param("report: &a true\nreasons: {x: *a}\n", "is an alias", id="alias"),
    pytest.param("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "is an alias", id="bomb"),
    pytest.param("report: !!python/object:os.system true\n", "tags have no meaning", id="tag"),
    pytest.param("x: " + "[" * 600 + "\n", "nested too deep", id="deep"),
    pytest.param("extends: nobody\n", "there is no policy 'nobody'", id="no-such-base"),
    pytest.param("extends: ../app\n", "there is no policy '../app'", id="no-paths"),
    pytest.param("- a list\n", "holds no policy", id="no-map"),
    pytest.param("", "holds no policy", id="empty"),
    pytest.param("templates: {names: '{{ x. }}'}\n", "templates", id="broken-template"),
    pytest.param(f"'{PAYLOAD}': 1\n", "is not a known key", id="hostile-key"),
    pytest.param("numbers: {mode: shadow}\n", "it belongs under 'guards'", id="other-section"),
    pytest.param(f"report: '{PAYLOAD}'\n", "must be a valid boolean", id="hostile-value"),
    pytest.param(f"extends: '{PAYLOAD}'\n", "there is no policy", id="hostile-name"),
    pytest.param(f"keys: ['hmac:{'0' * 8}…']\n", "no salted hash of", id="hash-that-nobody-has"),
]


@pytest.mark.parametrize(("text", "told"), DRAFTS)
async def test_a_draft_that_cannot_be_used_says_why(admin: Visitor, text: str, told: str) -> None:
    shown = await drafted(admin, text)
    assert "쓸 수 없는 초안입니다" in shown
    assert told in unescape(shown)
    assert "<b id=pwn>" not in shown
    assert "<script>alert" not in shown


async def test_an_error_stands_at_its_line(admin: Visitor) -> None:
    shown = await drafted(admin, "extends: default\n\nguards:\n  numbers:\n    moed: off\n")
    told = re.findall(r'<li class="told[^"]*">\s*<a [^>]*data-line="(\d+)"', shown)
    assert told == ["5"]


async def test_nothing_is_written(admin: Visitor, proxy: RunningProxy) -> None:
    folder = proxy.services.policies.directory
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    await drafted(admin, "report: true\n", do="many")
    await drafted(admin, "report: true\n", name="groundwork", do="check")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert not proxy.services.policies.snapshot.policies["app"].policy.report


async def test_a_preview_shows_what_was_and_what_would_be(
    admin: Visitor, proxy: RunningProxy
) -> None:
    trace = await proxy.trace(await proxy.chat(pool.asked()))
    draft = text_on_disk(proxy) + "guards:\n  numbers:\n    mode: off\n"
    shown = unescape(await drafted(admin, draft, do="one", trace=trace.id))
    assert "기록 하나로 미리 보기" in shown
    before, after = re.findall(r'<h3>[^<]*<span class="badge action-(\w+)">', shown)
    assert before == trace.action_name
    assert after == "pass"
    assert pool.WRONG_LOCKER in shown[shown.index("초안 <span") :]
    assert "numbers.value_differs" in shown[shown.index("더는 발견되지 않음") :]


async def test_traces_that_cannot_be_judged_again_say_so(
    admin: Visitor, proxy: RunningProxy
) -> None:
    reply = await proxy.send(b'{"question": "x", "answer": "y", "sources": []}', path="/v1/verify")
    trace = await proxy.trace(reply)
    shown = await drafted(admin, "extends: default\n", do="one", trace=trace.id)
    assert "다시 판정할 수 없습니다" in shown
    gone = await drafted(admin, "extends: default\n", do="one", trace="unknown")
    assert "미리 볼 추적 기록이 없습니다" in gone


async def test_a_guard_that_the_draft_has_no_reply_for_breaks_nothing(
    admin: Visitor, proxy: RunningProxy
) -> None:
    asked = chat_body(pool.QUESTION, pool.SOURCES)
    asked["guard"] = {"sources": pool.SOURCES, "guards": ["phrases"]}
    trace = await proxy.trace(await proxy.chat(asked))
    shown = await drafted(admin, "report: true\n", do="one", trace=trace.id)
    assert "미리 보기" in shown


async def test_drafts_have_a_largest_size(admin: Visitor) -> None:
    for size in (LONGEST_CHARS + 1, MOST_FORM_BYTES + 1):
        assert "너무 긴 초안입니다" in await drafted(admin, "#" * size)


async def test_a_file_that_is_new_and_broken_can_be_drafted(
    admin: Visitor, proxy: RunningProxy
) -> None:
    path = proxy.services.policies.directory / "fresh.yaml"
    path.write_text("report: maybe\n", encoding="utf-8")
    try:
        proxy.services.policies.reload()
        assert "fresh.yaml:1" in (await admin.get(PAGE)).text
        assert "report: maybe" in (await admin.get(f"{PAGE}/fresh/draft")).text
    finally:
        path.unlink()
        proxy.services.policies.reload()


# --- the parts -------------------------------------------------------------------------------


def is_gone(process_id: int) -> bool:
    """Tell whether a process has ended, or does so in a while."""
    until_s = time.monotonic() + DEADLINE_S
    while time.monotonic() < until_s:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


async def test_only_so_much_waits_and_a_process_that_is_lost_is_replaced() -> None:
    workshop = DraftProcess()
    try:
        first = await workshop.done(3 * DEADLINE_S, os.getpid)  # the process has started
        running = asyncio.create_task(workshop.done(3 * DEADLINE_S, time.sleep, 0.2))
        await asyncio.sleep(0)
        waiting = [
            asyncio.create_task(workshop.done(3 * DEADLINE_S, os.getpid))
            for _ in range(MOST_WAITING)
        ]
        await asyncio.sleep(0)
        with pytest.raises(Crowded):
            await workshop.done(3 * DEADLINE_S, os.getpid)
        await running
        assert {*await asyncio.gather(*waiting)} == {first}

        with pytest.raises(TookTooLong):
            await workshop.done(0.1, time.sleep, 60)
        assert await asyncio.to_thread(is_gone, first)
        second = await workshop.done(3 * DEADLINE_S, os.getpid)
        assert second not in (first, os.getpid())

        with pytest.raises(TookTooLong):
            await workshop.done(3 * DEADLINE_S, signal.raise_signal, signal.SIGKILL)
        assert await workshop.done(3 * DEADLINE_S, os.getpid) != second
    finally:
        workshop.close()


async def test_hashes_are_cut_and_come_back(tmp_path: Path) -> None:
    _, first = new_key("a")
    _, second = new_key("a")
    path = tmp_path / "a.yaml"
    path.write_bytes(f"keys:\r\n  - {first}\r\n  - {second}\r\n".encode())
    shown = text_of(path)
    assert shown == f"keys:\n  - {first[:13]}…\n  - {second[:13]}…\n"
    assert with_keys(shown, path) == f"keys:\n  - {first}\n  - {second}\n"
    assert with_keys("hmac:0000000…", path) == "hmac:0000000…"


@each_row("text, left", "folders_are_left_out_of_messages")
async def test_folders_are_left_out_of_messages(text: str, left: str) -> None:
    assert without_folders(text) == left
