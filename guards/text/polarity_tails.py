"""The words behind a predicate that tell what is said of it (``…지 아니하여도 된다``: need not)."""

import re
from collections.abc import Iterator, Sequence

from guards.text.polarity_modes import Mode

_BECOMES = "[되된됩돼될됨됐]"
_NEGATED = r"지(?:는|도|를|가)?\s?(?:않|아니|안\s?하|안\s?한)"
# In this order: the first that matches at a place is taken.
_TAILS = (
    (Mode.MUST, rf"지\s?(?:않으면|않으시면|아니하면|못하면)\s?(?:안|아니)\s?{_BECOMES}"),
    (Mode.MUST, r"지\s?(?:않을|아니할)\s?수(?:가|는)?\s?없"),
    (Mode.MAY_REFRAIN, r"지\s?(?:않을|아니할)\s?수(?:도|가|는)?\s?있"),
    (
        Mode.NEED_NOT,
        rf"지\s?(?:않아도|않으셔도|아니하여도|아니해도|않더라도)\s?(?:{_BECOMES}|무방|좋|괜찮)",
    ),
    (
        Mode.NEED_NOT,
        rf"(?:이|가|은|는)?\s?없(?:어도|으셔도|더라도)\s?(?:{_BECOMES}|무방|좋|괜찮)",
    ),
    (Mode.NEED_NOT, r"(?<=[할을될를])\s(?:필요|의무)(?:가|는|도)?\s?없"),
    (Mode.MUST, r"(?<=[할을될])\s(?:필요|의무)(?:가|는|도)?\s?있"),
    (Mode.MUST_NOT, rf"(?:서|면)(?:는|은)?\s?(?:안|아니)\s?{_BECOMES}"),
    (Mode.MUST_NOT, r"지\s?(?:않아야|아니하여야|아니해야|말아야|마셔야)\s?[하한합할함해됩된되]"),
    (Mode.MUST_NOT, r"지\s?(?:말\s?것|말고|말아(?:\s주)?|말라|마라|마십시오|마세요|마시|마요)"),
    (Mode.MUST_NOT, r"지\s?(?:않도록|못하도록|아니하도록|못하게)\s?(?:하여야|해야|한다|합니다)"),
    (Mode.CANNOT, rf"(?<=[가-힣])(?:이|가|은|는)?\s안\s?{_BECOMES}"),
    (Mode.CANNOT, r"(?<=[가-힣])\s?수(?:가|는|도)?\s?없"),
    (Mode.CAN, r"(?<=[가-힣])\s?수(?:가|는|도)?\s?있"),
    (Mode.CANNOT, r"지(?:는|도|를)?\s?못"),
    (Mode.NOT, _NEGATED),
    (Mode.MUST, r"(?<=[가-힣])야\s?(?:만\s?)?[하한합할함해했되된됩돼]"),
    (Mode.CAN, r"(?<=[가-힣])도\s?(?:[되된됩돼]|무방|괜찮)"),
    (Mode.NOT, r"(?<=[가-힣])(?:이|가|은|는|도)?\s(?:아니(?=[다며므고라지])|아닙|아니에요|아녜요)"),
    (Mode.LACKS, r"(?<=[가-힣])(?:이|가|은|는|도)?\s?없(?=[다는으어습을음이고었])"),
    (Mode.HAS, r"(?<=[가-힣])(?:이|가|은|는|도)\s?있(?=[다는으어습을음고었])"),
)
# What stands in every one of them, which most sentences have not at all.
_TAIL_CORE = re.compile(
    r"[않못없있안]|아[니닙녜]|야\s?(?:만\s?)?[하한합할함해했되된됩돼]"
    r"|도\s?(?:[되된됩돼]|무방|괜찮)|지\s?[말마]"
)


def _told_apart(tails: Sequence[tuple[Mode, str]]) -> str:
    """Return one pattern for all tails, sorted by how they begin, which a look at it tells."""
    named = [(f"(?P<t{at}>", pattern) for at, (_, pattern) in enumerate(tails)]
    behind = [f"{name}{pattern[1:]})" for name, pattern in named if pattern.startswith("지")]
    others = [f"{name}{pattern})" for name, pattern in named if not pattern.startswith("지")]
    return f"지(?:{'|'.join(behind)})|{_TAIL_START}(?:{'|'.join(others)})"


_TAIL_START = r"(?=[서면이가은는도야수없]|\s[필의안수없아])"
_TAIL = re.compile(_told_apart(_TAILS))


def tails(sentence: str) -> Iterator[tuple[Mode, re.Match[str]]]:
    """Yield the tails of a sentence in order, each with what it says of the predicate before it.

    A tail that begins with the last syllable of an ending (지, 서, 면, 야, 도) has it in its match.
    """
    if not _TAIL_CORE.search(sentence):
        return
    for match in _TAIL.finditer(sentence):
        yield _TAILS[int((match.lastgroup or "t0")[1:])][0], match
