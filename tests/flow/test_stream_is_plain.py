import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.demo.model_server import Said
from proxy.traces.trace import Trace
from tests.fakes.house import House
from tests.fakes.scripted_upstream import is_second_attempt
from tests.flow.canteen import COMPLAINT, QUESTION, ask, texts

SENTENCES = [
    "점심은 열두 시에 시작합니다.",
    "한 끼에 6,500원입니다.",
    "한 끼에 9,900원입니다.",
    "보통 약 8,000원 정도입니다.",
    "구내식당은 평일 11:30~13:30에 엽니다.",
    "운영 지침 제3조에 따릅니다.",
    "운영 지침 제99조에 따릅니다.",
    "예약은 내선 1234번입니다. [†1]",
    "자세한 것은 [참조: 없는 문서]를 보세요.",
    "食堂在本馆地下。",
    "申请书를 내세요.",
    "The canteen is in the basement of the main building.",
    "맛있게 드세요 🍚🥢!",
    "**메뉴**\r\n- 김치찌개\n- 비빔밥",
    "깨진 \ufffd글자.",
    "<think>음</think>",
    "`SELECT 1`",
]
SOURCES: list[JsonValue] = [
    {
        "section_title": "운영 지침 제3조(식비)",
        "section_content": "제3조(식비) 한 끼 식비는 6,500원으로 하고 평일 11:30~13:30에 연다.",
        "file": "canteen.pdf",
        "page": 2,
    }
]
ANSWERS = st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join)

pytestmark = pytest.mark.asyncio(loop_scope="module")


def what_matters(trace: Trace) -> dict[str, object]:
    """Return all of a trace that does not depend on when and how it was asked."""
    runs = [(run.guard, run.outcome, run.reason, run.attempt, run.choice) for run in trace.guards]
    kept = {"action", "reasons", "confidence", "not_checked", "replies", "findings", "status"}
    told = trace.model_dump(include=kept | {"question", "context", "kept_attempt"})
    return told | {"runs": runs, "answers": [attempt.choices for attempt in trace.attempts]}


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    first=st.lists(ANSWERS, min_size=1, max_size=3),
    second=st.lists(ANSWERS, min_size=1, max_size=3),
    question=st.sampled_from([QUESTION, "식비 규정을 알려 주세요", COMPLAINT]),
    sources=st.sampled_from([None, [], SOURCES]),
)
async def test_a_stream_says_what_a_plain_reply_says(
    house: House,
    first: list[str],
    second: list[str],
    question: str,
    sources: list[JsonValue] | None,
) -> None:
    house.scripted.script = lambda body: Said(second if is_second_attempt(body) else first)

    plain, stream = [
        await ask(house, question, sources=sources, n=len(first), stream=streamed)
        for streamed in (False, True)
    ]

    assert texts(stream) == texts(plain)
    names = [name for name in plain.headers if name.startswith("x-guard-")]
    names.remove("x-guard-request-id")
    assert [stream.headers.get(name) for name in names] == [plain.headers[name] for name in names]
    traces = [await house.proxy.trace(reply) for reply in (plain, stream)]
    assert what_matters(traces[1]) == what_matters(traces[0])
