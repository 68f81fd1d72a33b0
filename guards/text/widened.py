"""Where a claim leaves out the limit under which a source tells the same.

A claim with a widening word (`guards.text.wideners`) contradicts a sentence about the same that has
none but a limit: on what the claim sets aside (승인을 받은), or of the kind that the word denies
(관리자만 and 누구나, 3일 전까지 and 언제든지). A claim that forbids widens nothing, and a limit
that the claim tells as well is not left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from guards.core.reading import Reading
from guards.lexicons.frame_words import FRAME_WORDS
from guards.text.alignment import Aligned, alignments
from guards.text.coordinate import coordinate_clauses
from guards.text.features import features, kept_features
from guards.text.lemmas import lemma
from guards.text.overlap_score import containment
from guards.text.tokens import content_words, word_stem
from guards.text.wideners import Kind, Widener, is_wide, wideners, words_before

_DENIES = re.compile(r"수\s?(?:는|가|도)?\s?없|않|못|불가|금지|안\s[되됩돼]|어렵|마세요|마십시오")
_ONLY = re.compile(
    r"(?<=[가-힣])(?<![지다미하얼뿐백천십])(?:에게|에서|으로|로)?만(?=\s|[이을은의]\s|[,.)]|$)"
    r"|(?:에|으로)\s?(?:한해|한하여|한정)|(?:경우|때)에만"
)
_DEMANDS = re.compile(
    r"야\s?(?:만\s)?[한하합할함됩된되]|필요|필수|불가|제외|승인|허가|(?:내면|제출하면|받으면|거쳐)"
)
_TIME_LIMIT = re.compile(
    r"(?P<figure>\d+\s?(?:분|시간|일|주|개월|년))[가-힣 ]{0,6}(?:전까지|이내|안에|까지)"
)
_TIME = re.compile(
    r"[월화수목금토일]요일|평일|주말|공휴일|당일|오전|오후|\d\s?[시일월]|기간|[때전후]$"
)
_NOBODY = re.compile(r"(?:에서|로)만$")
_PLACE = re.compile(r"에서만|(?:층|구역|매장|지점|창구|방문)")
_BOUND = re.compile(r"\s?(?:이상|이하|초과|미만|부터|까지)")
# What a figure limits by its unit, without a word for it: 횟수, 연 1회.
_FIGURE = r"\d[\d,.]{0,15}\s?"
_UNITS = {
    "횟수": re.compile(rf"{_FIGURE}[회번]|한\s번"),
    "나이": re.compile(rf"{_FIGURE}세"),
    "연령": re.compile(rf"{_FIGURE}세"),
    "크기": re.compile(rf"{_FIGURE}(?:kg|cm|킬로|센티)"),
    "무게": re.compile(rf"{_FIGURE}(?:kg|킬로)"),
    "금액": re.compile(rf"{_FIGURE}(?:[천만억]{{0,2}}\s?원|%|퍼센트)"),
    "요일": re.compile(r"[월화수목금토일]요일|평일|주말"),
}
_MOST_FOCUS_WORDS = 4
_MOST_WIDENERS = 4
_LEAST_WORDS = 2
_ABOUT_FROM = 0.5


@dataclass(frozen=True, slots=True)
class Widened:
    """A place where a claim is wider than a source.

    Attributes:
        start: Where the word that widens it, with what it sets aside, begins in the claim.
        end: Where it ends.
        told: The source sentence with the limit.
        limit: The limit, in the source's words.
    """

    start: int
    end: int
    told: Aligned
    limit: str


def widened(claim: str, reading: Reading, least: float) -> Widened | None:
    """Return where a claim is first wider than what a source tells of the same; None if nowhere.

    Args:
        claim: The claim's own words.
        reading: The exchange.
        least: Least share of the rest of the clause that the source sentence holds.
    """
    if not is_wide(claim):
        return None
    for start, end in coordinate_clauses(claim):
        found = _in_clause(claim[start:end], reading, least)
        if found:
            return Widened(start + found.start, start + found.end, found.told, found.limit)
    return None


def _in_clause(clause: str, reading: Reading, least: float) -> Widened | None:
    denied = max((match.start() for match in _DENIES.finditer(clause)), default=0)
    found = list(islice((one for one in wideners(clause) if one.end > denied), _MOST_WIDENERS))
    if not found:
        return None
    bare = _without(clause, found)
    rest = [word.text for word in content_words(bare) if _forms(word.text)]
    wanted = " ".join(rest)
    closest = alignments(wanted, reading, least) if len(rest) >= _LEAST_WORDS else []
    equals = [told for told in closest if told.share == closest[0].share]
    if any(is_wide(f"{told.sentence} {told.exception}") for told in equals):
        return None
    held = features(bare).forms
    for told in equals:
        text = _about(wanted, told)
        for one in found:
            if limit := _limit(one, bare, held, text):
                return Widened(one.start, one.end, told, limit)
    return None


def _about(wanted: str, told: Aligned) -> str:
    """Return the clauses of a sentence that are about what is wanted, and its exception."""
    clauses = [told.sentence[start:end] for start, end in coordinate_clauses(told.sentence)]
    shares = [containment(wanted, clause) for clause in clauses]
    about = [
        clause
        for clause, share in zip(clauses, shares, strict=True)
        if share >= max(shares) * _ABOUT_FROM
    ]
    return " ".join((*about, told.exception)).strip()


def _without(clause: str, found: Sequence[Widener]) -> str:
    """Return a clause with blanks for what widens it."""
    pieces = list(clause)
    for one in found:
        pieces[one.start : one.end] = " " * (one.end - one.start)
    return "".join(pieces)


def _forms(word: str) -> frozenset[str]:
    """Return the forms under which a word is compared; none for a figure or one that frames."""
    forms = frozenset({word, word_stem(word), lemma(word)})
    return frozenset() if word[0].isdigit() or forms & FRAME_WORDS else forms


def _limit(one: Widener, rest: str, held: frozenset[str], text: str) -> str:
    """Return the limit of a source's text that a widening word does away with; empty if none."""
    if one.kind is Kind.ASIDE:
        return _limit_on(one.aside, text) or _other_limit(one.kind, held, text)
    if one.kind is Kind.ANY_TIME:
        found = _TIME_LIMIT.search(text)
        if found and found["figure"] not in rest:
            return found[0]
    return _other_limit(one.kind, held, text)


def _limit_on(aside: Sequence[str], text: str) -> str:
    """Return what limits the words that a claim sets aside; empty if nothing does."""
    only = _ONLY.search(text)
    forms = frozenset().union(*map(_forms, aside))
    if (only or _DEMANDS.search(text)) and forms & kept_features(text).forms:
        return text
    for name, unit in _UNITS.items():
        found = unit.search(text) if name in forms else None
        if found and (name == "횟수" or only or _BOUND.match(text, found.end())):
            return found[0]
    return ""


def _other_limit(kind: Kind, held: frozenset[str], text: str) -> str:
    """Return a limit of a widening word's kind of which a claim holds too little; empty if none."""
    for match in _ONLY.finditer(text):
        words = words_before(text, match.start())[-_MOST_FOCUS_WORDS:]
        names = [forms for forms in (_forms(word.text) for word in words) if forms]
        lost = sum(held.isdisjoint(forms) for forms in names)
        limit = text[words[0].start : match.end()] if words else ""
        if lost * 2 > len(names) and _is_of_kind(kind, limit):
            return limit
    return ""


def _is_of_kind(kind: Kind, limit: str) -> bool:
    if kind is Kind.ANY_TIME:
        return _TIME.search(limit) is not None
    if kind is Kind.ANYWHERE:
        return _PLACE.search(limit) is not None
    if kind is Kind.ANYBODY:
        return not _NOBODY.search(limit) and not _TIME.search(limit)
    return True
