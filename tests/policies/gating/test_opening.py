from itertools import pairwise

from policies.gating.segments import Segmenter
from tests.tables import each_row

CLAIM = "대관료는 1시간에 35,000원입니다."
BOOKING = "예약은 이용일 3일 전까지 누리집에서 받습니다."


def segments(text: str) -> list[str]:
    segmenter = Segmenter()
    ends = [0, *segmenter.feed(text), *segmenter.close()]
    return [text[start:end].strip() for start, end in pairwise(ends)]


@each_row("opener", "openers")
def test_waits_for_the_next_claim(opener: str) -> None:
    assert segments(f"{opener}{CLAIM} {BOOKING}") == [f"{opener}{CLAIM}", BOOKING]


@each_row("said", "say_something")
def test_does_not_wait(said: str) -> None:
    first, _, more = said.partition("\n")

    assert segments(f"{said}\n{BOOKING}") == [first, *([more] if more else []), BOOKING]


def test_waits_only_before_anything_has_left() -> None:
    assert segments(f"{CLAIM} 네, 됩니다. {BOOKING}") == [CLAIM, "네, 됩니다.", BOOKING]


def test_a_verdict_without_a_reason_leaves_at_the_end() -> None:
    assert segments("네, 됩니다.") == ["네, 됩니다."]
