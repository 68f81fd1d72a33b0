"""Korean personal identifiers in a text: which, and where they stand.

Finds resident and foreigner registration numbers, payment cards, phone numbers, e-mail addresses,
bank accounts, passports, driving licences, health insurance cards, vehicle plates and, where asked
for, business registration numbers, also in other digits (``９``, ``⑨``, ``9️⃣``, 공일공), with other
separators, spaces around the dashes or zero-width characters inside. What other numbers look like
too (accounts, old passports, phone numbers without separators, …) counts only near a word that says
what it is, and nothing counts that a label calls the number of a thing (주문번호, 바코드, 모델, …).

Misses identifiers digit by digit or obfuscated (``at``), and unnamed bare registration numbers that
are valid barcodes as well. Takes an unnamed number in the shape of a registration number for one
where its date is valid.
"""

import re

from guards.korean.digits import in_digits
from guards.text.personal_data.dense import readable
from guards.text.personal_data.kinds import PersonalKind, PersonalSpan
from guards.text.personal_data.rules import PLATE, RULES, Rule

__all__ = ["PersonalKind", "PersonalSpan", "find_personal"]


def find_personal(text: str, *, business_numbers: bool = False) -> list[PersonalSpan]:
    """Return the identifiers of a text in order; they never overlap.

    Args:
        text: The text.
        business_numbers: Return business registration numbers as well.
    """
    if _has_none(in_digits(text)):
        return []
    normal = readable(text)
    unclaimed = normal.text
    zones = _zones(unclaimed)
    if not zones:
        return []
    spans: list[PersonalSpan] = []
    for rule in RULES:
        claimed = _claimed(rule, unclaimed, zones)
        unclaimed = _blanked(unclaimed, claimed)
        spans += claimed
    return sorted(
        (
            PersonalSpan(span.kind, *normal.to_raw(span.start, span.end))
            for span in spans
            if business_numbers or span.kind is not PersonalKind.BUSINESS_NUMBER
        ),
        key=lambda span: span.start,
    )


# Most texts have no identifier, and show it before anything is made of them: fewer digits than a
# plate has, no at sign, and no character of which the normal form might make one.
_LEAST_DIGITS = 6
_DIGIT = re.compile(r"[0-9]")
_NO_PLAIN = re.compile(r"[^0-9A-Za-z_가-힣ㄱ-ㅎㅏ-ㅣ\s.,:;!?~·…%'\"()\[\]{}<>*#|/+=-]|@")


def _has_none(text: str) -> bool:
    return len(_DIGIT.findall(text)) < _LEAST_DIGITS and _NO_PLAIN.search(text) is None


# Seven digits close together, an at sign or a plate: all that the rules find has one of the three.
_DENSE = re.compile(rf"[0-9](?:[-+.()/_·ㅡ\sA-Za-z]{{0,7}}[0-9]){{6}}|@|{PLATE}")
_ZONE_CHARS = 100
_FILLER = "\0"


def _zones(text: str) -> list[tuple[int, int]]:
    """Return the few places of a text that the rules have to look at."""
    zones: list[tuple[int, int]] = []
    for dense in _DENSE.finditer(text):
        start, end = max(0, dense.start() - _ZONE_CHARS), dense.end() + _ZONE_CHARS
        if zones and start <= zones[-1][1]:
            start = zones.pop()[0]
        zones.append((start, end))
    return zones


def _claimed(rule: Rule, text: str, zones: list[tuple[int, int]]) -> list[PersonalSpan]:
    return [
        PersonalSpan(kind, *match.span())
        for zone in zones
        for match in rule.pattern.finditer(text, *zone)
        if (kind := rule.kind_of(match)) is not None
    ]


def _blanked(text: str, spans: list[PersonalSpan]) -> str:
    """Return a text of the same length without what is claimed."""
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += (text[position : span.start], _FILLER * (span.end - span.start))
        position = span.end
    return "".join([*pieces, text[position:]])
