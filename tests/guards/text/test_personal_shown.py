"""An identifier is found again in a text, however it is written there."""

import pytest

from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.personal import Shown, find_personal, unpublished

K = PersonalKind

SHOWN = [
    pytest.param(K.PHONE, "010-0000-1234", "01000001234", id="without-dashes"),
    pytest.param(K.PHONE, "010-0000-1234", "+82 10 0000 1234", id="from-abroad"),
    pytest.param(K.PHONE, "+82-10-0000-1234", "(010) 0000.1234", id="from-abroad-back"),
    pytest.param(K.PHONE, "02-000-1234", "☎ 000-1234", id="without-area-code"),
    pytest.param(K.PHONE, "02-000-1234", "０２）０００－１２３４", id="full-width"),
    pytest.param(K.EMAIL, "Hong@Example.com", "hong@example.com", id="case"),
    pytest.param(K.RESIDENT_NUMBER, "991231-3123456", "991231 3123456", id="space"),
    pytest.param(K.VEHICLE, "00가 0000", "00가0000", id="plate"),
]
NOT_SHOWN = [
    pytest.param(K.PHONE, "010-0000-1234", "010-0000-1235", id="another-number"),
    pytest.param(K.PHONE, "010-0000-1234", "0000-1234", id="mobile-without-its-prefix"),
    pytest.param(K.EMAIL, "hong@example.com", "hong at example.com", id="words"),
    pytest.param(K.ACCOUNT, "110-000-123456", "", id="nothing"),
]


@pytest.mark.parametrize(("kind", "value", "text"), SHOWN)
def test_is_shown(kind: PersonalKind, value: str, text: str) -> None:
    assert Shown(["머리말", f"문의: {text} 로"]).holds(kind, value)


@pytest.mark.parametrize(("kind", "value", "text"), NOT_SHOWN)
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
