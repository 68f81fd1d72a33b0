"""Yes or no against what was asked, and words of a scale in the place of their opposite.

A yes says that the clause that was asked for holds, a no that it does not. A word such as 빠른 날,
where the sources have 늦은 날, is compared by the words around it: those before it in its clause
and the one behind it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from guards.claims.reader import Claim, Modality, Reading
from guards.core.reading import SourceSet, Text
from guards.evidence.index import SourceClaim, SourceIndex, claims_of
from guards.evidence.opposites.acts import adverbs_of, turned
from guards.evidence.opposites.statements import Statement, statements_of
from guards.korean.words import Word, canonical
from guards.lexicons.loading import lines

_YES = re.compile(r"\s*(?:네|예|넵|맞습니다|그렇습니다|물론(?:입니다|이죠|이에요)?)(?=[,.!\s])")
_NO = re.compile(r"\s*(?:아니요|아니오|아뇨|아닙니다|그렇지\s?않습니다)(?=[,.!\s])")
_OPEN = re.compile(
    r"얼마|언제|어디|누구|누가|무엇|무슨|뭐|뭘|어떤|어떻|어느|몇|왜|며칠|방법|차이|알려|설명|정리|비교|추천|아니면"
)
_ASKS = re.compile(r"(?:나요|까요?|가요|은가|는가|죠|지요|니|냐|래요|요)[?\s.!~ㅠㅜ]*$")
_DENIED = {
    Modality.PERMITTED: Modality.FORBIDDEN,
    Modality.FORBIDDEN: Modality.PERMITTED,
    Modality.REQUIRED: Modality.NOT_REQUIRED,
    Modality.NOT_REQUIRED: Modality.REQUIRED,
    Modality.FACT: Modality.DENIED,
    Modality.DENIED: Modality.FACT,
}
_SIDES = frozenset({Modality.FACT, Modality.DENIED, Modality.PERMITTED, Modality.FORBIDDEN})


def reply_of(answer: str) -> tuple[bool, int] | None:
    """Return whether an answer begins with a yes or a no, and where that ends; None if neither."""
    for is_yes, pattern in ((True, _YES), (False, _NO)):
        match = pattern.match(answer)
        if match:
            return is_yes, match.end()
    return None


def asked_claim(question: Reading) -> Statement | None:
    """Return the one clause for which a question asks whether it holds; None if there is none."""
    text = question.page.plain
    if _OPEN.search(text) or len(question.sentences) > _MOST_SENTENCES:
        return None
    asking = [one for one in question.sentences if _ASKS.search(one[-1].text)]
    if len(asking) != 1 or asking[0] is not question.sentences[-1]:
        return None
    found = [
        one for one in statements_of(question.sentences) if one.claim is question.sentences[-1][-1]
    ]
    return found[-1] if found and not found[-1].is_named else None


_MOST_SENTENCES = 3


def replied(claim: Statement, *, is_yes: bool) -> Statement:
    """Return what a yes or a no to a question says."""
    if is_yes:
        return claim
    modality = _DENIED[claim.modality]
    by = -1 if claim.modality in _SIDES else 1
    return claim._replace(modality=modality, acts=tuple(turned(one, by) for one in claim.acts))


_BEFORE = 4
_LEAST_SHARED = 2
_AGAINST = frozenset({Modality.FORBIDDEN, Modality.DENIED})


class Contrast(NamedTuple):
    """A word of a scale and what stands around it.

    Attributes:
        claim: The clause that it stands in.
        word: The word.
        scale: The name of the scale.
        side: Number of its side.
        before: The features of the words before it.
        behind: The feature of the word behind it; empty if there is none.
    """

    claim: Claim
    word: Word
    scale: str
    side: int
    before: frozenset[str]
    behind: str


class SourceContrasts:
    """The words of scales in a set of sources."""

    def __init__(self, sources: SourceSet) -> None:
        self._found: dict[str, list[tuple[Contrast, SourceClaim]]] = defaultdict(list)
        claims = sources.once(SourceIndex).claims
        before = 0
        for part in sources.parts:
            for number, contrast in part.text.once(_contrasts_in):
                self._found[contrast.scale].append((contrast, claims[before + number]))
            before += len(part.text.once(claims_of).claims)

    def against(self, contrast: Contrast) -> tuple[Contrast, SourceClaim] | None:
        """Return the opposite that a source has in the same place; None if it has none."""
        best: dict[bool, tuple[int, Contrast, SourceClaim]] = {}
        for other, source in self._found.get(contrast.scale, ()):
            if _is_against(contrast.claim) != _is_against(other.claim):
                continue
            is_same = other.side == contrast.side
            shared = _shared(contrast, other)
            if is_same not in best or shared > best[is_same][0]:
                best[is_same] = (shared, other, source)
        if False not in best or best[False][0] < _LEAST_SHARED:
            return None
        if True in best and best[True][0] >= best[False][0]:
            return None
        return best[False][1:]


def _contrasts_in(text: Text) -> list[tuple[int, Contrast]]:
    """Return the words of scales in a text, each with the number of its clause."""
    claims = text.once(claims_of).claims
    return [(number, one) for number, claim in enumerate(claims) for one in contrasts_of(claim)]


def contrasts_of(claim: Claim) -> Iterator[Contrast]:
    """Yield the words of scales in a clause that stand before another word."""
    words, scales = claim.clause.words, _scales()
    for at, word in enumerate(words[:-1]):
        scale = scales.get(word.features[-1])
        if scale is not None and not _is_of_figure(claim, word):
            yield _contrast(claim, word, scale, words[:at], words[at + 1])
    for adverb in adverbs_of(claim.clause.trail):
        scale = scales.get(adverb)
        at = claim.text.find(adverb)
        if scale is not None and at >= 0:
            start = claim.clause.start + at
            word = Word(adverb, (adverb,), start, start + len(adverb), "", False, False, False)
            behind = [one for one in words if one.start >= word.end]
            if behind:
                before = [one for one in words if one.end <= start]
                yield _contrast(claim, word, scale, before, behind[0])


def _contrast(
    claim: Claim, word: Word, scale: tuple[str, int], before: Sequence[Word], behind: Word
) -> Contrast:
    features = frozenset(one.features[-1] for one in before[-_BEFORE:])
    return Contrast(claim, word, *scale, features, behind.features[-1])


def _is_of_figure(claim: Claim, word: Word) -> bool:
    """Tell whether a word goes with a figure, which other guards compare by its value."""
    return any(one.start <= word.start <= one.end + 1 for one in claim.clause.figures)


def _shared(one: Contrast, other: Contrast) -> int:
    return len(one.before & other.before) + 1 if one.behind == other.behind else 0


def _is_against(claim: Claim) -> bool:
    return claim.clause.modality in _AGAINST


@cache
def _scales() -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for line in lines("contrasts"):
        sides: Sequence[str] = line.split("|")
        for side, text in enumerate(sides):
            for word in text.split():
                found.setdefault(canonical(word), (sides[0].split()[0], side))
    return found
