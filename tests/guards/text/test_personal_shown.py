"""An identifier is found again in a text, however it is written there."""

from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.personal import Shown, find_personal, unpublished
from tests.tables import each_row

K = PersonalKind


@each_row("kind, value, text", "shown")
def test_is_shown(kind: PersonalKind, value: str, text: str) -> None:
    assert Shown(["머리말", f"문의: {text} 로"]).holds(kind, value)


@each_row("kind, value, text", "not_shown")
def test_is_not_shown(kind: PersonalKind, value: str, text: str) -> None:
    assert not Shown([text]).holds(kind, value)


def test_two_texts_together_show_nothing_new() -> None:
    assert not Shown(["010-0000", "1234"]).holds(K.PHONE, "010-0000-1234")


def test_only_what_offices_publish_is_published_by_a_source() -> None:
    text = "010-0000-1234, 02-000-0000, hong@example.com, 991231-3123456"
    source = "문의 02-000-0000, 담당 hong@example.com, 신청인 991231-3123456"

    left = unpublished(text, find_personal(text), Shown([source]))

    assert [span.kind for span in left] == [K.PHONE, K.RESIDENT_NUMBER]
    assert text[left[0].start : left[0].end] == "010-0000-1234"
