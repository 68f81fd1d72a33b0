from itertools import pairwise

import pytest

from policies.gating.segments import Segmenter
from tests.tables import each_row

CLAIM = "대관료는 1시간에 35,000원입니다."
BOOKING = "예약은 이용일 3일 전까지 누리집에서 받습니다."


def segments(text: str) -> list[str]:
    segmenter = Segmenter()
    ends = [0, *segmenter.feed(text), *segmenter.close()]
    return [text[start:end].strip() for start, end in pairwise(ends)]


VERDICTS = [
    pytest.param("네, 됩니다. ", id="yes"),
    pytest.param("네 가능해요! ", id="yes-without-comma"),
    pytest.param("예, 그렇습니다. ", id="so-it-is"),
    pytest.param("네, 신청하실 수 있어요.[1] ", id="yes-with-a-mark"),
    pytest.param("**네, 가능합니다.**\n\n", id="yes-in-bold"),
    pytest.param("✅ 네, 무료입니다! 😊\n\n", id="yes-with-emoji"),
    pytest.param("물론 빌리실 수 있습니다. ", id="of-course"),
    pytest.param("아니요. ", id="no"),
    pytest.param("아닙니다. ", id="it-is-not"),
    pytest.param("아니요, 휴관일에는 수련실을 쓰실 수 없습니다. ", id="no-in-words-of-a-question"),
    pytest.param("수련실 대관은 불가능합니다. ", id="verdict-without-a-no"),
    pytest.param("환불됩니다. ", id="one-predicate"),
    pytest.param("무료입니다. ", id="one-noun"),
    pytest.param("안녕하세요! 네, 맞습니다. ", id="behind-a-greeting"),
    pytest.param("<think>음.</think>네, 됩니다. ", id="behind-thoughts"),
]
OPENERS = [
    pytest.param("안녕하세요, 고객님! 😊\n\n", id="greeting-with-emoji"),
    pytest.param("안녕하세요! 샛별관입니다 😊\n", id="name-of-who-speaks"),
    pytest.param("물론이죠! 😊\n\n", id="of-course-with-emoji"),
    pytest.param("네, 대관료를 알려 드릴게요! 😊\n\n", id="announcement-with-emoji"),
    pytest.param("휴관일 안내드립니다^^\n\n", id="announcement-with-a-smile"),
    pytest.param("대관 안내입니다 :)\n\n", id="announcement-of-a-topic"),
    pytest.param("확인해 보겠습니다. ", id="going-to-look"),
    pytest.param("좋은 질문이에요!\n\n", id="praise"),
    pytest.param("대관료에 대해 문의하셨군요. ", id="repeats-what-was-asked"),
    pytest.param("문의하신 내용에 대한 답변입니다.\n", id="calls-itself-an-answer"),
    pytest.param("📌 **대관 안내**\n\n", id="heading-with-emoji"),
    pytest.param("🏨 대관 요금 안내\n\n", id="title-with-emoji"),
    pytest.param("■ 대관 안내\n", id="title-right-above-the-text"),
    pytest.param("2031년 대관 안내\n\n", id="title-with-a-year"),
    pytest.param("> 안내\n\n", id="quotation"),
    pytest.param("---\n\n", id="rule"),
    pytest.param("고객님,\n", id="address"),
    pytest.param("👋 안녕하세요!\n\n대관 안내\n\n네, 됩니다! 😊\n\n", id="many"),
]


@each_row("opener", [*VERDICTS, *OPENERS])
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
