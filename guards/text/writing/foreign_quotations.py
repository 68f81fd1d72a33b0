"""Quotations without a word of Korean in them: what an original is cited in."""

import re

_MARKS = tuple(pair.split("|") for pair in "'|' \"|\" ‘|’ “|” 「|」 『|』 《|》 〈|〉 «|»".split())
_MOST_CHARS = 300
_QUOTATION = re.compile(
    "|".join(
        rf"{opening}[^{opening}{closing}가-힣\n]{{2,{_MOST_CHARS}}}{closing}"
        for opening, closing in _MARKS
    )
    + r"|^ ?>[^가-힣\n]+$",
    re.MULTILINE,
)
_VISIBLE = re.compile(r"\S")


def without_foreign_quotations(text: str) -> str:
    """Return a text of the same length with blanks for quotations without Hangul."""
    return _QUOTATION.sub(lambda match: _VISIBLE.sub(" ", match[0]), text)
