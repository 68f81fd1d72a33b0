"""Which language a page speaks."""

import pytest

from proxy.dashboard.languages import Language, chosen_language, translations
from proxy.views import msgid

CHOSEN = [
    pytest.param("en", "ko", "ko-KR", "en", id="the-address-first"),
    pytest.param(None, "en", "ko-KR", "en", id="then-what-was-chosen-before"),
    pytest.param(None, None, "en-US,en;q=0.9", "en", id="then-the-browser"),
    pytest.param(None, None, "en;q=0.5, ko;q=0.8", "ko", id="by-weight"),
    pytest.param(None, None, "fr-FR, en;q=0.3", "en", id="the-first-that-is-known"),
    pytest.param(None, None, "fr-FR", "ko", id="korean-when-none-is-known"),
    pytest.param(None, None, "", "ko", id="korean-when-nothing-is-said"),
    pytest.param("xx", "yy", "en;q=much", "ko", id="nonsense-counts-for-nothing"),
]


@pytest.mark.parametrize(("asked", "kept", "accepted", "chosen"), CHOSEN)
def test_chooses(asked: str | None, kept: str | None, accepted: str, chosen: str) -> None:
    assert chosen_language(asked, kept, accepted) == chosen


def test_translates_what_is_marked() -> None:
    marked = msgid("Sign in")
    assert translations(Language.ENGLISH).gettext(marked) == "Sign in"
    assert translations(Language.KOREAN).gettext(marked) == "로그인"
