import pytest

from policies.gating.segments import Layout

OPENS = [
    pytest.param("📌 **준비물**", "\n\n-", id="heading-with-emoji"),
    pytest.param("**준비물** 📌", "\n신", id="heading-with-emoji-behind"),
    pytest.param("1️⃣ **준비물**", "\n신", id="heading-with-a-keycap"),
    pytest.param("> 💡 **알림**", "\n>", id="heading-in-a-quotation"),
    pytest.param("✅ **준비물**", "\n신", id="heading-with-a-tick"),
    pytest.param("이용 방법", "\n\n대", id="title-above-a-paragraph"),
    pytest.param("이용 방법", "\n-", id="title-above-a-list"),
    pytest.param("이용 방법", "\n1", id="title-above-a-numbered-list"),
    pytest.param("이용 방법", "\n|", id="title-above-a-table"),
    pytest.param("- 접수", "\n  -", id="item-with-items-of-its-own"),
    pytest.param("1. **접수**", "\n   -", id="numbered-item-with-items-of-its-own"),
]
CLOSED = [
    pytest.param("이용 방법", "\n대", id="line-above-another-one"),
    pytest.param("예약은 누리집에서 받아요", "\n\n대", id="predicate"),
    pytest.param("예약은 누리집에서 받습니다.", "\n\n대", id="sentence"),
    pytest.param("성인 5,000원", "\n\n대", id="value"),
    pytest.param("대관료: 무료", "\n\n대", id="label-and-value"),
    pytest.param("이용 방법" * 11, "\n\n대", id="too-long"),
    pytest.param("- 신분증", "\n-", id="item"),
    pytest.param("- 신분증", "\n\n대", id="last-item"),
    pytest.param("✔️ 신분증", "\n\n대", id="last-item-with-a-tick"),
    pytest.param("- 본관에 냅니다.", "\n  -", id="item-with-a-predicate"),
    pytest.param("이용 방법", " 대", id="no-line-of-its-own"),
]


@pytest.mark.parametrize(("line", "behind"), OPENS)
def test_holds_what_opens_the_next_thing(line: str, behind: str) -> None:
    assert Layout().holds(line, behind, begins_line=True)


@pytest.mark.parametrize(("line", "behind"), CLOSED)
def test_lets_go_what_stands_alone(line: str, behind: str) -> None:
    assert not Layout().holds(line, behind, begins_line=True)


def test_the_rest_of_a_line_is_no_title() -> None:
    layout = Layout()
    layout.holds("예약은 받습니다.", " 이", begins_line=True)

    assert not layout.holds("이용 방법", "\n\n대", begins_line=False)


def test_lines_that_might_all_be_titles_are_not_all_held() -> None:
    layout = Layout()
    held = [layout.holds(name, "\n\n대", begins_line=True) for name in ("신분증", "통장", "도장")]

    assert held == [True, False, True]


def test_items_of_an_item_stand_alone() -> None:
    layout = Layout()

    assert layout.holds("- 접수", "\n  -", begins_line=True)
    assert not layout.holds("- 본관", "\n  -", begins_line=True)
    assert not layout.holds("- 별관", "\n-", begins_line=True)
