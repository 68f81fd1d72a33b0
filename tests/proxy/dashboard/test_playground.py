"""The playground request by request: what becomes of a form, and what it says when nothing does."""

import json
import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from html import unescape

import httpx
import pytest
import pytest_asyncio

from proxy.dashboard.playground import MOST_AT_ONCE, MOST_FORM_BYTES, TrialSlots
from proxy.dashboard.playground_form import CannotTry
from tests.browser.poison import PAYLOAD
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.proxy.dashboard.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = "/dashboard/playground"
SOURCE = {"title": "누리봄도서관 이용 규정 제7조", "text": "책은 14일 동안 빌릴 수 있다."}
ASKED = {
    "way": "ask",
    "question": "책은 며칠 동안 빌릴 수 있나요?",
    "model": "small",
    "source_title": SOURCE["title"],
    "source_text": SOURCE["text"],
    "source_file": "nuribom.pdf",
    "source_page": "4",
}
RIGHT = "책은 14일 동안 빌릴 수 있습니다. [1]"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as running:
        running.says(RIGHT)
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def odd() -> AsyncGenerator[RawUpstream, None]:
    """A model server that answers in its own way."""
    async with RawUpstream().running() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(
    tmp_path_factory: pytest.TempPathFactory, upstream: ScriptedUpstream, odd: RawUpstream
) -> AsyncGenerator[RunningProxy, None]:
    scripted = f"upstream:\n  base_url: {upstream.address}/v1\n"
    others = {
        "away": "upstream:\n  base_url: http://127.0.0.1:9/v1\n",
        "own-key": f"{scripted}  pass_caller_key: true\n",
        "listed": f"{scripted}  models: {{small: m-7b}}\n",
        "limited": "limits:\n  requests_per_minute: 1\n",
        "citing": "citations:\n  instruct: true\n",
        "odd": f"upstream:\n  base_url: {odd.address}/v1\n  timeouts: {{first_byte_s: 0.2}}\n",
    }
    folder = tmp_path_factory.mktemp("playground")
    async with running_proxy(folder, upstream, others=others, dashboard=True) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def admin(visitor: Visitor) -> Visitor:
    await visitor.sign_in(ADMIN_TOKEN)
    return visitor


async def result_of(visitor: Visitor, **form: str) -> str:
    """Return what came of a form, as the page's script gets it."""
    reply = await visitor.client.post(
        PAGE, data=form, headers={"origin": visitor.address, "hx-request": "true"}
    )
    assert reply.status_code == httpx.codes.OK
    assert "<html" not in reply.text
    return unescape(reply.text)


# --- what the model and the guards are given -------------------------------------------------


async def test_sources_reach_the_model_and_the_guards(
    admin: Visitor, upstream: ScriptedUpstream
) -> None:
    shown = await result_of(admin, **ASKED, tenant="app")
    told = upstream.requests[-1]
    assert "guard" not in told
    assert f"[1] {SOURCE['title']}, nuribom.pdf, p.4" in str(told["messages"])
    assert SOURCE["text"] in str(told["messages"])
    assert "출처 1건 찾음 (exact)" in shown


async def test_our_own_citation_prompt_brings_the_sources_once(
    admin: Visitor, upstream: ScriptedUpstream
) -> None:
    await result_of(admin, **ASKED, tenant="citing")
    assert str(upstream.requests[-1]["messages"]).count(SOURCE["text"]) == 1


@pytest.mark.parametrize("way", ["ask", "check"])
async def test_sources_as_an_apps_prompt_holds_them(admin: Visitor, way: str) -> None:
    block = f"<context>\n[1] {SOURCE['title']}\n{SOURCE['text']}\n</context>"
    form = ASKED | {"way": way, "answer": RIGHT, "sources_as": "block", "block": block}
    shown = await result_of(admin, **form)
    assert "출처 1건 찾음 (tags" in shown


@pytest.mark.parametrize("way", ["ask", "check"])
async def test_sources_as_a_list(admin: Visitor, way: str) -> None:
    listed = json.dumps(
        [SOURCE, SOURCE | {"section_title": "부칙", "text": ""}], ensure_ascii=False
    )
    form = ASKED | {"way": way, "answer": RIGHT, "sources_as": "listed", "listed": listed}
    assert "출처 1건 찾음 (exact)" in await result_of(admin, **form)


LISTS = [
    pytest.param("[{", "Expecting property name", id="no-json"),
    pytest.param('{"title": "x"}', "JSON 배열이어야 합니다", id="no-list"),
    pytest.param('["x"]', "sources[0]", id="no-objects"),
    pytest.param('[{"title": "x"}]', "sources[0].section_content", id="no-text"),
    pytest.param('[{"text": "가", "page": "둘"}]', "sources[0].page", id="wrong-type"),
    pytest.param('[{"text": "가", "id": 1}, {"text": "나", "id": 1}]', "two sources", id="twice"),
    pytest.param("[" * 100_000, "출처 목록을 읽을 수 없습니다", id="too-deep"),
]


@pytest.mark.parametrize(("listed", "told"), LISTS)
@pytest.mark.parametrize("way", ["ask", "check"])
async def test_a_list_that_cannot_be_read_is_explained(
    admin: Visitor, way: str, listed: str, told: str
) -> None:
    form = ASKED | {"way": way, "answer": RIGHT, "sources_as": "listed", "listed": listed}
    shown = await result_of(admin, **form)
    assert told in shown
    assert 'data-problem-field="listed"' in shown


async def test_a_question_without_sources_is_answered_as_the_policy_wants(admin: Visitor) -> None:
    form = ASKED | {"question": "연차휴가 규정은 며칠인가요?", "source_text": ""}
    shown = await result_of(admin, **form, verify="on")
    assert "문의하신 내용을 자료에서 찾지 못했습니다" in shown
    assert "원래 답변 검증" not in shown  # nobody asked the model


# --- what came of it ---------------------------------------------------------------------------


async def test_the_whole_page_is_drawn_for_browsers_without_scripts(admin: Visitor) -> None:
    reply = await admin.send(PAGE, **ASKED, verify="on")
    assert "<html" in reply.text
    assert RIGHT in reply.text
    assert f'value="{SOURCE["title"]}"' in reply.text


async def test_what_was_not_checked_is_never_left_out(admin: Visitor) -> None:
    shown = await result_of(admin, way="check", question="", answer="네, 그렇습니다.")
    assert "검사하지 못함" in shown
    assert "✗" in shown
    assert "검증 미통과" in shown


async def test_the_report_is_there_as_json(admin: Visitor) -> None:
    shown = await result_of(admin, **(ASKED | {"verify": "on"}))
    start = shown.index("{", shown.index('class="code report"'))
    report = json.loads(shown[start : shown.index("</pre>", start)])
    assert report["reply"]["choices"][0]["message"]["content"] == RIGHT
    assert report["reply"]["guard"]["action"] == "pass"
    assert report["verification"]["accuracy_rate"] == 1.0


# --- when nothing comes of it ----------------------------------------------------------------


async def test_a_server_that_is_of_no_use_is_explained(admin: Visitor, odd: RawUpstream) -> None:
    shown = await result_of(admin, **ASKED, tenant="away")
    assert "모델 서버에 연결할 수 없습니다" in shown
    assert "추적 기록 보기" in shown

    odd.says(b'{"error": {"message": "no"}}', status="401 Unauthorized")
    assert "키를 받아들이지 않습니다" in await result_of(admin, **ASKED, tenant="odd")
    odd.says(b"[]")
    assert "응답을 읽을 수 없습니다" in await result_of(admin, **ASKED, tenant="odd")
    odd.act = lambda talk: talk.hang()
    assert "제시간에 응답하지 않았습니다" in await result_of(admin, **ASKED, tenant="odd")


async def test_a_server_that_refuses_is_quoted_and_escaped(
    admin: Visitor, odd: RawUpstream
) -> None:
    body = json.dumps({"error": {"message": f"no model {PAYLOAD}", "type": "x"}}).encode()
    odd.says(body, status="404 Not Found")
    reply = await admin.send(PAGE, **ASKED, tenant="odd")
    assert "모델 서버가 요청을 거절했습니다" in reply.text
    assert "no model" in reply.text
    assert PAYLOAD not in reply.text
    assert "<b id=pwn>" not in reply.text


async def test_what_cannot_be_asked_is_explained(admin: Visitor) -> None:
    for form, told in (
        ({"model": "large", "tenant": "listed"}, "쓸 수 있는 모델이 아닙니다"),
        ({"answer": "가" * MOST_FORM_BYTES}, "너무 깁니다"),
        ({"source_page": "제3쪽"}, "쪽 번호는 숫자로"),
        ({"tenant": "nobody"}, "없는 테넌트입니다"),
    ):
        assert told in await result_of(admin, **(ASKED | form))


async def test_a_tenant_whose_apps_bring_their_own_key(admin: Visitor) -> None:
    shown = await result_of(admin, **ASKED, tenant="own-key")
    assert "앱이 가진 키로만" in shown
    form = ASKED | {"way": "check", "answer": RIGHT, "tenant": "own-key"}
    assert "검증 통과" in await result_of(admin, **form)


async def test_a_try_counts_like_a_request_of_the_tenant(
    admin: Visitor, proxy: RunningProxy
) -> None:
    assert RIGHT in await result_of(admin, **ASKED, tenant="limited")
    assert "한도에 이르렀습니다" in await result_of(admin, **ASKED, tenant="limited")
    reply = await proxy.client.get(
        f"{proxy.base_url}/models", headers={"authorization": f"Bearer {proxy.keys['limited']}"}
    )
    assert reply.status_code == httpx.codes.TOO_MANY_REQUESTS


async def test_only_a_few_run_at_once(proxy: RunningProxy) -> None:
    tenant = proxy.services.tenants.book.named("app")
    assert tenant is not None
    room = TrialSlots()
    async with AsyncExitStack() as inside:
        for _ in range(MOST_AT_ONCE):
            await inside.enter_async_context(room.place(proxy.services, tenant))
        with pytest.raises(CannotTry):
            await inside.enter_async_context(room.place(proxy.services, tenant))
    async with room.place(proxy.services, tenant):
        pass  # those who left made room


async def test_fields_that_are_no_texts_or_choices_are_passed_over(admin: Visitor) -> None:
    reply = await admin.client.post(
        PAGE,
        data={"way": "shout", "sources_as": "smoke"},
        files={"question": ("q.txt", b"what")},
        headers={"origin": admin.address},
    )
    assert "질문을 입력해 주세요" in reply.text


# --- whose tenant it is --------------------------------------------------------------------


async def test_a_tenant_asks_for_itself_whatever_the_form_says(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    await visitor.sign_in(proxy.keys["listed"])
    page = await visitor.get(f"{PAGE}?tenant=app")
    assert 'name="tenant"' not in page.text
    assert 'value="small"' in page.text  # the first model of its list
    shown = await result_of(visitor, **ASKED, tenant="app")
    assert "listed@" in shown


async def test_a_trace_of_another_tenant_fills_nothing(
    visitor: Visitor, admin: Visitor, proxy: RunningProxy
) -> None:
    shown = await result_of(admin, **ASKED, tenant="app")
    found = re.search(r"/dashboard/traces/(\w+)", shown)
    assert found is not None
    await proxy.trace_of(found[1])
    await visitor.sign_in(proxy.keys["listed"])
    assert (await visitor.get(f"{PAGE}?trace={found[1]}")).status_code == httpx.codes.NOT_FOUND


async def test_another_site_cannot_try_anything(
    visitor: Visitor, proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    await visitor.sign_in(proxy.key)
    before = len(upstream.requests)
    reply = await visitor.client.post(PAGE, data=ASKED, headers={"origin": "https://example.com"})
    assert reply.status_code == httpx.codes.FORBIDDEN
    assert len(upstream.requests) == before
