import pytest

from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.text.oppositions_elsewhere import is_told

CLOSEST = "회원 개인은 예약을 신청할 수 없다."


@pytest.mark.parametrize(
    ("other", "told"),
    [
        pytest.param("예약은 대표자가 신청할 수 있다.", True, id="the-clause-of-the-claim"),
        pytest.param("예약은 대표자가 신청할 수 없다.", False, id="the-same-the-other-way"),
        pytest.param("예약은 전날까지 한다.", False, id="another-predicate"),
    ],
)
def test_tells_whether_a_clause_stands_elsewhere(other: str, told: bool) -> None:
    reading = read(Exchange("", (Source("1", "", f"{CLOSEST} {other}"),)))

    assert is_told("예약은 대표자가 신청할 수 있습니다", CLOSEST, reading) is told
