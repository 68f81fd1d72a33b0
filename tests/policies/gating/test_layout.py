from policies.gating.segments import Layout
from tests.tables import each_row


@each_row("line, behind", "opens")
def test_holds_what_opens_the_next_thing(line: str, behind: str) -> None:
    assert Layout().holds(line, behind, begins_line=True)


@each_row("line, behind", "closed")
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
