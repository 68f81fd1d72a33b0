import pytest

from guards.text.title_subject import title_subject


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("제15조(연차휴가)", {"연차휴가"}),
        ("주차장 규칙 제3조의2 (요금의 면제)", {"요금", "면제"}),
        ("취업규칙 - 출산휴가", {"출산휴가"}),
        ("안내 > 객실 > 조식", {"조식"}),
        ("환불 규정", {"환불"}),
        ("본문", set()),
        ("", set()),
    ],
)
def test_names_the_subject(title: str, subject: set[str]) -> None:
    words = title_subject(title)

    assert len(words) == len(subject)
    assert all(any(word in names for names in words) for word in subject)
