"""Any answer is judged and mended: edits fit, and what leaves cites what exists or is told of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from guards.text.citing.references import marks_in_body, read_references
from policies.decision import Possible
from policies.edits import apply
from policies.inspection import Inspector
from policies.schema.loader import load_shipped
from policies.schema.policy import Action

EVERYTHING = Possible(regenerate=True, edit=True)
SOURCES = (
    Source("1", "열람실 안내", "열람실은 오전 9시에 열고 오후 6시에 닫습니다. 월요일에는 쉽니다."),
    Source(
        "2", "요금표", "복사는 한 장에 50원, 출력은 한 장에 100원입니다.", file="fee.pdf", page=2
    ),
    Source("3", "회원 규정", "제4조(대출) 회원은 한 번에 책을 5권까지 14일 동안 빌릴 수 있다."),
)
PIECES = [
    "열람실은 오전 9시에 엽니다",
    "월요일에는 쉬지 않습니다",
    "복사는 한 장에 50원입니다",
    "500원",
    "책은 5권까지 빌립니다",
    "14일",
    "제4조에 따르면 ",
    "약 3만원",
    "아마 ",
    "02-123-4567",
    "a@b.example",
    "[1]",
    "[2]",
    "[9]",
    "[1, 3]",
    "[1-3]",
    "[^2]",
    "[†1]",
    "【3】",
    "(출처 2)",
    "[[1]]",
    "[0]",
    "[01]",
    "[",
    "]",
    "[^1]: 열람실 안내\n",
    "\n\n### 참고문헌\n- [1] 열람실 안내\n",
    "출처: [2] fee.pdf, p.2\n",
    ". ",
    "? ",
    "!",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "① ",
    "| a | b |\n|---|---|\n",
    "```\n",
    "`",
    "**",
    "> ",
    "# ",
    "한국어",
    "English words here. ",
    "日本語",
    "的",
    "\u200b",
    "\u202e",
    "\x00",
    "\ud83d",
    "👩‍👩‍👧",
    "\ufeff",
    "가\u0301",
    "각",
]
ANSWERS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)


@pytest.fixture(scope="module", params=["default", "strict"])
def inspector(request: pytest.FixtureRequest) -> Inspector:
    return Inspector(load_shipped(request.param).policy)


@given(answer=ANSWERS, sources=st.sampled_from([SOURCES, SOURCES[:1], ()]))
def test_an_answer_is_judged_and_its_edits_fit(
    inspector: Inspector, answer: str, sources: tuple[Source, ...]
) -> None:
    exchange = Exchange("열람실은 몇 시에 여나요?", sources).answered(answer)

    verdict = inspector.inspect(exchange, Stage.OUTPUT, EVERYTHING)

    for finding in verdict.findings:
        if finding.part == "answer":
            assert 0 <= finding.span.start <= finding.span.end <= len(answer)
    assert bool(verdict.edits) <= (verdict.action in (Action.FIX, Action.TRIM))
    ends = 0
    for edit in verdict.edits:
        assert ends <= edit.span.start <= edit.span.end <= len(answer)
        ends = edit.span.end


@given(answer=ANSWERS)
def test_no_citation_of_nothing_leaves_untold(inspector: Inspector, answer: str) -> None:
    exchange = Exchange("복사는 얼마인가요?", SOURCES)
    verdict = inspector.inspect(exchange.answered(answer), Stage.OUTPUT, EVERYTHING)
    if verdict.action not in (Action.PASS, Action.FIX, Action.TRIM):
        return

    leaving = apply(answer, verdict.edits)

    marks = marks_in_body(leaving, read_references(leaving))
    # Amid the words [0] is a place in a program's list unless a source is called so. In an answer
    # that cites nowhere else, another number may be one too: it lowers the confidence.
    told = {found.observed for found in verdict.findings}
    for mark in marks:
        written = leaving[mark.start : mark.end]
        known = {1, 2, 3} if mark.well_placed and len(mark.numbers) == 1 else {0, 1, 2, 3}
        assert set(mark.numbers) <= known or written in told


@given(answer=ANSWERS)
def test_an_edited_answer_needs_no_more_of_it(inspector: Inspector, answer: str) -> None:
    exchange = Exchange("복사는 얼마인가요?", SOURCES)
    verdict = inspector.inspect(exchange.answered(answer), Stage.OUTPUT, EVERYTHING)
    if not verdict.edits:
        return

    again = inspector.inspect(
        exchange.answered(apply(answer, verdict.edits)), Stage.OUTPUT, EVERYTHING
    )

    assert again.action in (Action.PASS, Action.FIX)
