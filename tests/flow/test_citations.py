"""Wrong citations are mended on the way out, and good ones asked for on the way in."""

import json

import pytest
from pydantic import JsonValue

from policies.schema.policy import Action
from proxy.openai_api.chat.endpoint import HEADING
from proxy.openai_api.json_body import JsonObject, member, objects
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import assert_untouched, both_ways

CLOSED = "온실은 매주 화요일에 문을 닫습니다"
EVENING = "야간 관람권은 다섯 시부터 판매합니다"
PRAMS = "유모차는 정문 안내소에서 빌려 드립니다"
BONSAI = "분재 전시는 가을에만 열립니다"
FOOD = "음식물은 온실에 가지고 들어갈 수 없습니다"
# Prams and food stand in two sources each, and in neither of those that the answer cites for them.
TEXTS = (
    f"{CLOSED}. {PRAMS}. {FOOD}.",
    f"{EVENING}. {PRAMS}.",
    "주차장은 후문 옆에 있으며 대형 버스도 세울 수 있습니다.",
    f"{BONSAI}. {FOOD}.",
    "기념품 가게에서는 씨앗과 화분을 살 수 있습니다.",
)
PAGES = (10, 25, 31, 47, 52)
SOURCES: list[JsonValue] = [
    {"section_content": text, "file": f"garden-{at}.pdf", "page": page}
    for at, (text, page) in enumerate(zip(TEXTS, PAGES, strict=True), start=1)
]
QUESTION = "식물원 이용 안내를 알려 주세요"
TENANTS = {
    "asking": "citations: {instruct: true}",
    "listing": "citations: {references: always}",
}

pytestmark = pytest.mark.asyncio(loop_scope="module")


def listed(*places: int) -> str:
    """Return a list of references to these sources, numbered in this order."""
    lines = (
        f"- [†{at}] garden-{place}.pdf, p.{PAGES[place - 1]}"
        for at, place in enumerate(places, start=1)
    )
    return "\n".join(["### References", *lines])


FIVE_CITED = (
    f"{CLOSED}[†1]. {EVENING}[†2]. {PRAMS}[†3]. {BONSAI}[†4]. {FOOD}[†5].\n\n"
    f"{listed(1, 2, 3, 4, 5)}"
)
THREE_LEFT = f"{CLOSED}[†1]. {EVENING}[†2]. {PRAMS}. {BONSAI}[†3]. {FOOD}.\n\n{listed(1, 2, 4)}"


@pytest.fixture
def asking(proxy: RunningProxy) -> RunningProxy:
    return proxy.as_tenant("asking")


def request(**more: JsonValue) -> JsonObject:
    return chat_body(QUESTION, SOURCES, **more)


async def test_wrong_citations_go_and_the_rest_is_numbered_anew(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(FIVE_CITED)

    text = await both_ways(proxy, request(), "fix", "citations.unsupported")

    assert text == THREE_LEFT
    assert len(upstream.requests) == 2  # plain and stream, neither asked again


async def test_chat_and_verification_mend_an_answer_alike(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(FIVE_CITED)
    given: JsonObject = {"question": QUESTION, "answer": FIVE_CITED, "sources": SOURCES}

    left = await both_ways(proxy, request(), "fix", "citations.unsupported")
    verified = await proxy.send(json.dumps(given).encode(), path="/v1/verify")

    report = verified.json()
    assert left == report["corrected_answer"] == THREE_LEFT
    assert report["original_answer"] == FIVE_CITED
    assert report["removed_citations"] == [3, 5]
    assert report["renumbered"] == [{"before": 4, "after": 3}]


async def test_a_citation_of_the_wrong_source_gets_the_right_number(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1]. {BONSAI}[†2].\n\n{listed(1, 2)}")

    text = await both_ways(proxy, request(), "fix", "citations.wrong_source")

    assert text == f"{CLOSED}[†1]. {BONSAI}[†2].\n\n{listed(1, 4)}"


async def test_a_number_without_a_source_goes_and_the_apps_numbers_stay(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[1]. {EVENING} [9]. {BONSAI}[4].")

    text = await both_ways(proxy, request(), "fix", "citations.unknown_number")

    assert text == f"{CLOSED}[1]. {EVENING}. {BONSAI}[4]."


async def test_an_answer_that_is_about_a_missing_source_is_written_again(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1]. 그리고 [†9]에서 {EVENING}.", f"{CLOSED}[†1].")

    text = await both_ways(proxy, request(), "regenerate", "citations.unknown_number")

    assert text == f"{CLOSED}[†1]."


async def test_a_sentence_that_is_about_a_missing_source_goes_in_the_end(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    answer = f"{CLOSED}[†1]. [†9]에서는 안내소를 소개합니다. {BONSAI}[†4]."
    upstream.says(answer, answer)

    text = await both_ways(proxy, request(), "trim", "citations.unknown_number")

    assert text == f"{CLOSED}[†1]. {BONSAI}[†4]."


async def test_numbers_of_an_answer_without_a_list_stay_what_they_are(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1]. {EVENING}[†9]. {BONSAI}[†3].")

    text = await both_ways(
        proxy, request(), "fix", "citations.unknown_number", "citations.wrong_source"
    )

    assert text == f"{CLOSED}[†1]. {EVENING}. {BONSAI}[†4]."


async def test_a_wrong_article_becomes_the_one_that_carries_the_sentence(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    articles: list[JsonValue] = [
        {"section_title": "화분규칙 제4조(대여료)", "section_content": "대여료는 월 2만원이다."},
        {
            "section_title": "화분규칙 제9조(반납)",
            "section_content": "빌린 화분은 매달 말일까지 1층 온실 창구에 반납한다.",
        },
    ]
    told = "빌린 화분은 매달 말일까지 1층 온실 창구에 반납합니다."
    upstream.says(f"화분규칙 제19조에 따라 {told}")

    body = chat_body("화분은 언제까지 어디에 반납하나요?", articles)
    text = await both_ways(proxy, body, "fix", "legal_citation.article_absent")

    assert text == f"화분규칙 제9조에 따라 {told}"


async def test_good_citations_leave_as_the_model_wrote_them(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(THREE_LEFT)

    await assert_untouched(proxy, upstream, request())


async def test_the_trace_keeps_both_texts(proxy: RunningProxy, upstream: ScriptedUpstream) -> None:
    upstream.says(FIVE_CITED)

    trace = await proxy.trace(await proxy.chat(request()))

    assert trace.action is Action.FIX
    assert trace.attempts[0].choices[0].text == FIVE_CITED
    assert trace.replies == (THREE_LEFT,)
    assert not trace.asked_for_citations


async def test_a_policy_can_give_every_citing_answer_its_list(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1]. {BONSAI}[†4].")

    text = await both_ways(proxy.as_tenant("listing"), request(), "fix", "references_added")

    assert text == (
        f"{CLOSED}[†1]. {BONSAI}[†4].\n\n"
        "### References\n- [†1] garden-1.pdf, p.10\n- [†4] garden-4.pdf, p.47"
    )


async def test_a_policy_can_have_the_model_asked_to_cite(
    asking: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1].")

    reply = await asking.chat(request())

    assert reply.headers["x-guard-action"] == "pass"
    [sent] = upstream.requests
    instructions, asked = objects(sent["messages"])
    assert instructions["role"] == "system"
    assert str(instructions["content"]).startswith(HEADING)
    assert "\n[†1] garden-1.pdf, p.10\n<<<" in str(instructions["content"])
    assert f"\n{TEXTS[0]}\n" in str(instructions["content"])
    assert asked == {"role": "user", "content": QUESTION}
    assert (await asking.trace(reply)).asked_for_citations


async def test_the_second_attempt_is_asked_for_citations_once(
    asking: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1]. 입장료는 팔천원입니다[†2].", f"{CLOSED}[†1].")

    reply = await asking.chat(request())

    assert reply.headers["x-guard-action"] == "regenerate"
    first, second = upstream.requests
    assert str(first["messages"]).count(HEADING) == 1
    assert str(second["messages"]).count(HEADING) == 1
    assert objects(second["messages"])[0] == objects(first["messages"])[0]


NOT_ASKED: list[tuple[str, JsonObject]] = [
    ("json", request(response_format={"type": "json_object"})),
    ("no-sources", chat_body("안녕하세요")),
    (
        "tools-and-no-sources",
        chat_body("날씨는요?", tools=[{"type": "function", "function": {"name": "weather"}}]),
    ),
]


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in NOT_ASKED])
async def test_is_not_asked_to_cite(
    asking: RunningProxy, upstream: ScriptedUpstream, body: JsonObject
) -> None:
    await asking.chat(body)

    assert upstream.requests
    assert all(HEADING not in str(sent) for sent in upstream.requests)


async def test_without_the_policys_wish_the_request_goes_out_as_it_came(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"{CLOSED}[†1].")

    await proxy.chat(request())

    [sent] = upstream.requests
    assert member(sent, "messages") == request()["messages"]
