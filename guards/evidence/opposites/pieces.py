"""Pieces of a clause: what stands outside of its brackets and in them, and what a label says."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from guards.claims.layout import Level
from guards.claims.reader import Claim, Modality, modality_of, read_sentence
from guards.evidence.opposites.acts import (
    COUNTED,
    FRAME,
    Act,
    act_of,
    has_sides,
    opposite_of,
    opposites,
)
from guards.korean.words import Word

AGAINST = frozenset({Modality.FORBIDDEN, Modality.DENIED})
# 파손 우려가 있는 자료 only names something: its verb describes a noun.
_LAST_DESCRIPTION = re.compile(r".*/ETM (?!(?:수|것|거|뒤|후|다음|데)/)")
PREDICATE = re.compile(r"/(?:VV|VA|VX|XSV|XSA|VCP|VCN|EF|EC)\b|없이/MAG")
NAMED = re.compile(r"[^:：]{2,40}[:：]\s")
_BRACKETS = re.compile(r"[(（\[]([^()（）\[\]\n]{2,80})[)）\]]")
_BRACKETS_IN_TRAIL = re.compile(r"[(（\[]/SSO .*?[)）\]]/SSC ?")
_ENDS = frozenset("가능 불가 불가능 금지 필수 허용 필요 없음".split())
_OBJECT = frozenset({"을", "를", "은", "는"})


class Piece(NamedTuple):
    """A clause without what stands in brackets, or what stands in them."""

    words: tuple[Word, ...]
    trail: str
    modality: Modality
    start: int
    end: int
    given: tuple[Word, ...] = ()

    @property
    def says(self) -> bool:
        """True if it states something and does not only name it."""
        described = _LAST_DESCRIPTION.match(self.trail) if "/ETM " in self.trail else None
        if described is not None and not PREDICATE.search(self.trail, described.end()):
            return self._ends_in_an_act
        if PREDICATE.search(self.trail) or self.modality is not Modality.FACT:
            return True
        return self._ends_in_an_act

    @property
    def _ends_in_an_act(self) -> bool:
        last = self.words[-1].features if self.words else ()
        return any(one in opposites() or one in _ENDS for one in last)


# 반입 금지 물품, 대출 불가 자료: what is listed below.
_LISTED = re.compile(r"(?<=[가-힣] )(?:자료|물품|대상|항목|사항|품목|상품|업무|차량|시설)$")
SaidByLabel = tuple[Act, Modality]


def telling(words: Iterable[Word]) -> list[Word]:
    """Return the words that tell what a clause is about."""
    return [word for word in words if not word.is_light and word.features[-1] not in FRAME]


def pieces_of(claim: Claim) -> Iterator[Piece]:
    """Yield a clause without its brackets, then what stands in each of them."""
    clause = claim.clause
    spans = list(_BRACKETS.finditer(claim.text))
    if not spans:
        words, trail, modality = clause.words, clause.trail, clause.modality
        if named := NAMED.match(claim.text):
            # 연결이 안 됨: 암호 확인. What stands before the colon only names what follows.
            begin = clause.start + named.end()
            words = tuple(word for word in words if word.start >= begin)
            behind = read_sentence(claim.text[named.end() :])
            trail = " ".join(one.trail for one in behind)
            modality = modality_of(trail)[0]
        yield Piece(words, trail, modality, claim.start, claim.end)
        return
    places = [(clause.start + span.start(), clause.start + span.end()) for span in spans]
    outside = tuple(
        word
        for word in clause.words
        if not any(low <= word.start and word.end <= high for low, high in places)
    )
    trail = _BRACKETS_IN_TRAIL.sub("", clause.trail)
    yield Piece(outside, trail, modality_of(trail)[0], claim.start, claim.end)
    for span in spans:
        yield from _bracketed(claim, span)


def _bracketed(claim: Claim, span: re.Match[str]) -> Iterator[Piece]:
    given: tuple[Word, ...] = ()
    shift = claim.clause.start + span.start(1)
    for one in read_sentence(span[1]):
        words = tuple(
            word._replace(start=word.start + shift, end=word.end + shift) for word in one.words
        )
        if one.is_condition:
            given += words
            continue
        start = claim.start + span.start(1) + one.start
        end = start + one.end - one.start
        yield Piece(words, one.trail, one.modality, start, end, given)


def excluded_in(brackets: Iterable[Piece]) -> Iterator[Word]:
    """Yield what brackets take out of a clause (열람실 제외)."""
    for piece in brackets:
        if piece.words and opposite_of(piece.words[-1]) == (COUNTED, -1):
            yield from telling(piece.words[:-1])


def left_out_of(piece: Piece) -> Iterator[Word]:
    """Yield what a clause takes out of what it says (맹견을 제외하고)."""
    for word, follows in pairwise(piece.words[:-1]):
        if word.particle in _OBJECT and opposite_of(follows) == (COUNTED, -1):
            yield from (word, follows)


def label_of(claim: Claim) -> SaidByLabel | None:
    """Return what the label of a clause says of it (보장하지 않는 사항: …)."""
    if claim.block.is_cell:
        return None
    for label in reversed(claim.block.labels):
        if label.level is not Level.HEADING:
            return label_said(label.text)
    return None


def label_said(text: str) -> SaidByLabel | None:
    """Return what the words of a label say; None if they only name something."""
    found = read_sentence(_LISTED.sub("", text.strip()) or text)
    if not found:
        return None
    act = act_of(found[-1].words, is_label=True)
    modality = found[-1].modality
    if act is None:
        # 다음은 이용하실 수 없습니다: what is listed is left out.
        lists = modality in AGAINST and PREDICATE.search(found[-1].trail)
        return (Act(COUNTED, -1, 1.0, None), modality) if lists else None
    if modality in AGAINST:
        return Act(act.name, -act.side, 1.0, None), modality
    if has_sides(act.name) and act.side < 0 and act.word is found[-1].words[-1]:
        return Act(act.name, act.side, 1.0, None), modality
    return None
