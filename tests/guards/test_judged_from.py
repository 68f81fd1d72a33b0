"""What a guard says of the end of an answer does not depend on whether the rest is judged, too."""

from typing import Any

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.finding import Finding
from guards.core.guard import Guard, Scope, Stage
from guards.core.reading import read
from guards.core.registry import all_guards
from guards.text.sentences import split_sentences
from tests.tables import each_row

SOURCES = (
    Source(
        "1",
        "솔빛회관 이용 규정",
        "제4조(환불) 이용일 전날까지 취소하면 대관료를 모두 돌려준다.\n"
        "제5조(주차) 주차장은 후문 옆 광장에 있고 하루 2,000원을 받는다.",
    ),
    Source("2", "솔빛회관 안내", "솔빛회관 소강당은 총무팀에서 예약을 받습니다. 월요일에 쉽니다."),
)
SAID = (
    "솔빛회관 소강당은 총무팀에서 예약을 받습니다[2].",
    "솔빛회관 소강당은 시설팀에서 예약을 받습니다[1].",
    "제9조에 따라 이용일 전날까지 취소하면 대관료를 모두 돌려드립니다[1].",
    "제5조에 따라 이용일 전날까지 취소하시면 대관료를 모두 돌려드립니다.",
    "주차장은 후문 옆 광장에 있고 하루 2,000원을 받습니다[2][7].",
    "주차장은 후문 옆 광장에 있습니다. [출처: 솔빛회관 약관.pdf]",
    "3층에 수영장과 사우나가 있어 누구나 이용하실 수 있습니다.",
    "월요일에 쉽니다[2], 예약은 총무팀에서 받습니다[1].",
)
ANSWERS = [
    pytest.param(" ".join(SAID), id="one-paragraph"),
    pytest.param("\n\n".join(reversed(SAID)), id="many-paragraphs"),
    pytest.param("다음과 같습니다.\n- " + "\n- ".join(SAID), id="a-list"),
]
GUARDS = [
    all_guards()[name](all_guards()[name].settings_type.model_validate(options))
    for name, options in (
        ("citations", {"add_missing": True}),
        ("legal_citation", {"wrong_paragraph_acts": True}),
        *((guard.id, {}) for guard in all_guards().values() if guard.scope is Scope.SEGMENT),
    )
    if Stage.OUTPUT in all_guards()[name].stages
]


def found(guard: Guard[Any], answer: str, judged_from: int) -> list[Finding]:
    """Return what is found from a place on, in the order in which it is found."""
    reading = read(Exchange("소강당은 어떻게 예약하나요?", SOURCES, answer=answer), judged_from)
    return [one for one in guard.check(reading) if one.span.start >= judged_from]


def test_there_is_something_to_be_found() -> None:
    heard = {guard.id for guard in GUARDS for one in found(guard, " ".join(SAID), 0)}

    assert heard >= {"citations", "legal_citation", "names", "numbers"}


@each_row("answer", ANSWERS)
@pytest.mark.parametrize("guard", GUARDS, ids=lambda one: one.id)
def test_where_judging_begins_only_leaves_out(guard: Guard[Any], answer: str) -> None:
    whole = found(guard, answer, 0)
    ends = [sentence.end for sentence in split_sentences(answer)]

    for end in ends:
        assert found(guard, answer, end) == [one for one in whole if one.span.start >= end]
