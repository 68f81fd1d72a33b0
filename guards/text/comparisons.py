"""The two sides that a question wants compared (``정규직과 계약직의 차이``)."""

import re

from guards.text.tokens import bigrams, word_stem

_SIDES = re.compile(
    r"(?P<one>[가-힣A-Za-z0-9]{1,20})(?:와|과|이랑|랑|하고|\s?vs\.?)\s(?P<other>[가-힣A-Za-z0-9]{1,20})"
    r"(?:\s[가-힣]{1,10})?\s?(?:차이|비교|중\s|다른\s?점|다르|다른가)",
    re.IGNORECASE,
)
_TOGETHER = re.compile(
    r"둘\s?다|두\s?(?:가지|제도|경우|쪽)|모두|각각|양쪽|전자|후자|차이(?:가|는)?\s?없|같습니다|동일"
)
_HALF = 0.5


def compared_sides(question: str) -> tuple[str, str] | None:
    """Return what a question wants compared; None if it does not compare."""
    match = _SIDES.search(question)
    return (word_stem(match["one"]), word_stem(match["other"])) if match else None


def names_side(answer: str, side: str) -> bool:
    """Tell whether an answer names a side, in full or for the most part, or speaks of both."""
    if side.casefold() in "".join(answer.split()).casefold() or _TOGETHER.search(answer):
        return True
    pairs = bigrams(side)
    return bool(pairs) and len(pairs & bigrams(answer)) / len(pairs) >= _HALF
