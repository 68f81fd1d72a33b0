"""The modality of a clause: its act is permitted, forbidden, required, not required, or a fact.

One field whatever the verb or noun: 금지, 불가, -면 안 된다 and -ㄹ 수 없다 forbid; 가능, 허용,
-아도 된다 and -ㄹ 수 있다 permit; -아야 한다 and 필수 require. A fact is told or denied.
"""

import re
from enum import StrEnum
from functools import cache

from guards.lexicons.loading import sections


class Modality(StrEnum):
    """Modality of the predicate of a clause."""

    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    NOT_REQUIRED = "not_required"
    FACT = "fact"
    DENIED = "denied"


_DENIED = re.compile(
    r"지/EC (?:는/JX |도/JX |를/JKO )?(?:않|아니하)/|아니/VCN(?! 라/EC)|안/MAG \S+/V"
    r"|없/VA|없이/MAG$"
)
# What frames a statement says nothing of its act: …다는 점을 기억하세요, …다고 안내되어 있습니다.
_REPORTED = re.compile(
    r"(?:는|은|인|ㄴ)(?:다는|다)/(?:ETM|EC) |다는/ETM (?:점|것|사실|내용)|다고/EC "
    r"|라는/ETM (?:점|것)|(?:은|는|ㄴ)/ETM (?:점|것|사실)/NN\S+ (?:을|은|이|도)/J\S+ "
    r"(?:기억|참고|유의|알|주의|확인|잊)"
)


_NOT_LITERAL = re.compile(r"\((?:[^()]|\([^()]*\))*\)[?*+]?|\\?.[?*+]|\\.|[^\w/ ]")


def _literal_in(pattern: str) -> str:
    """Return the longest text that stands in every match of a pattern, outside its groups."""
    return max(_NOT_LITERAL.split(pattern), key=len)


@cache
def _rules() -> tuple[tuple[Modality, str, re.Pattern[str], re.Pattern[str] | None], ...]:
    """Return each rule's modality, a text that it needs, its pattern and what stands before it."""
    found = []
    for name, patterns in sections("modality").items():
        for pattern in patterns:
            main, _, before = pattern.partition("@")
            needed = re.compile(before.strip()) if before.strip() else None
            # A modality may have a second section: [required by a double denial].
            main = main.strip()
            modality = Modality(name.split()[0])
            found.append((modality, _literal_in(main), re.compile(main), needed))
    return tuple(found)


def modality_of(trail: str) -> tuple[Modality, int]:
    """Return the modality of a clause and where in the trail its expression begins.

    Args:
        trail: The morphemes of the clause, as ``form/TAG`` with spaces between.
    """
    reported = _REPORTED.search(trail)
    if reported is not None:
        trail = trail[: reported.start()]
    best: tuple[Modality, int] | None = None
    for modality, literal, pattern, needed in _rules():
        # Much quicker than the pattern, and most clauses have none of these texts.
        if literal not in trail:
            continue
        last = None
        for match in pattern.finditer(trail):
            last = match
        if last is None:
            continue
        if needed is not None and not needed.search(trail[: last.start()][-40:]):
            continue
        # The last predicate of the clause tells; at the same place the first rule does.
        if best is None or last.end() > best[1] + _SAME_PLACE:
            best = (modality, last.end())
    denied = None
    for match in _DENIED.finditer(trail):
        denied = match
    if best is None or (denied is not None and denied.start() > best[1]):
        return (Modality.DENIED, denied.start()) if denied else (Modality.FACT, len(trail))
    return best


_SAME_PLACE = 12
