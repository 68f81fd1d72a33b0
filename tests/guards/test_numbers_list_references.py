"""Numbers that name a line of the answer's own list are no figures of the sources."""

from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.numbers import Numbers, NumbersSettings
from tests.tables import each_row

SOURCES = (Source("1", "민원실 안내", "초본은 400원, 등본은 300원, 인감은 600원에 뗍니다."),)
LIST = "1. 초본\n2. 등본\n3. 인감\n\n"


def observed(answer: str) -> list[str]:
    exchange = Exchange("수수료를 알려 주세요.", SOURCES, answer=answer)
    return [one.observed for one in Numbers(NumbersSettings()).check(read(exchange))]


@each_row("said", "named")
def test_the_number_of_a_line_is_no_figure(said: str) -> None:
    assert observed(f"{LIST}{said}") == []


@each_row("answer, figure", "counted")
def test_how_often_something_is_done_is_a_figure(answer: str, figure: str) -> None:
    assert observed(answer) == [figure]
