from guards.complaints.swearing import swearwords
from tests.tables import each_row


@each_row("text, found", "finds_what_is_used")
def test_finds_what_is_used(text: str, found: str) -> None:
    assert "".join(text[word.start : word.end] for word in swearwords(text)) == found


@each_row("text, addresses, calls", "form_tells_whom_it_is_for")
def test_form_tells_whom_it_is_for(text: str, addresses: bool, calls: bool) -> None:
    [word] = swearwords(text)

    assert (word.addresses, word.calls) == (addresses, calls)


def test_comes_in_order() -> None:
    starts = [word.start for word in swearwords("tlqkf 이 등신아 wlfkf")]

    assert starts == sorted(starts)
    assert len(starts) == 3
