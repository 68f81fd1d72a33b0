"""Numbers that name a line of the answer's own list are no figures of the sources."""

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings

SOURCES = (Source("1", "민원실 안내", "초본은 400원, 등본은 300원, 인감은 600원에 뗍니다."),)
LIST = "1. 초본\n2. 등본\n3. 인감\n\n"

NAMED = [
    pytest.param("3번의 수수료는 600원입니다.", id="of-the-line"),
    pytest.param("참고로 2번은 300원입니다.", id="about-the-line"),
    pytest.param("1번과 2번은 바로 뗍니다.", id="about-two-lines"),
]
COUNTED = [
    pytest.param(f"{LIST}경고를 3번 받으면 돌아갑니다.", "3번", id="how-often"),
    pytest.param(f"{LIST}하루에 3번은 더 뗄 수 있습니다.", "3번", id="how-often-with-a-particle"),
    pytest.param(f"{LIST}7번의 수수료는 600원입니다.", "7번", id="a-line-that-is-not-there"),
    pytest.param("3번의 신청이 필요합니다.", "3번", id="without-a-list"),
]


def observed(answer: str) -> list[str]:
    exchange = Exchange("수수료를 알려 주세요.", SOURCES, answer=answer)
    return [one.observed for one in Numbers(NumbersSettings()).check(read(exchange))]


@pytest.mark.parametrize("said", NAMED)
def test_the_number_of_a_line_is_no_figure(said: str) -> None:
    assert observed(f"{LIST}{said}") == []


@pytest.mark.parametrize(("answer", "figure"), COUNTED)
def test_how_often_something_is_done_is_a_figure(answer: str, figure: str) -> None:
    assert observed(answer) == [figure]
