"""Doubt about a sentence of an answer, weighed from its comparison with the sources.

No single sign decides: a faithful paraphrase has one, too. Their weights were fitted on the answers
of ``tests/quality`` (``guards/lexicons/doubt.txt`` says when and with what outcome), so that the
sum tells which sentences a reader, or a judge, should look at first.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from guards.claims.reader import Claim
from guards.claims.standing import Standing, standing_of
from guards.core.finding import Span
from guards.core.reading import Reading
from guards.evidence.answers import answer_claims, answer_figures
from guards.evidence.binding import Relation, SourceFigures
from guards.evidence.index import SourceIndex
from guards.evidence.novelty import Vocabulary
from guards.evidence.opposites.meaning import Match, SourceMeaning, asked_features, covered
from guards.evidence.opposites.statements import Statement, statements_in
from guards.korean.words import Word
from guards.lexicons.loading import groups, lines
from guards.text.normal import dense

SIGNS = (
    "new_nouns",
    "sweeping_words",
    "other_figure",
    "moved_figures",
    "absent_figures",
    "opposed",
    "thinnest_clause",
    "missing_word",
    "parted_words",
    "limits_left_out",
    "other_modality",
    "only_asked",
)
"""The signs, each a number from 0 on; see `Doubts.signs`."""
BIAS = "bias"
_SWEEPING = re.compile("|".join(lines("sweeping")))
_FEWEST_VERBATIM_CHARS = 8


class Doubted(NamedTuple):
    """A sentence of an answer that asserts something.

    Attributes:
        span: Its place in the answer.
        signs: Signs against it, each of `SIGNS`; none for a verbatim sentence of a source.
        doubt: How doubtful it is, from 0 to 1.
    """

    span: Span
    signs: Mapping[str, float]
    doubt: float


class Doubts:
    """The sentences of one answer, each with how doubtful it is.

    Attributes:
        sentences: Those that assert something, in order.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._index = reading.source_set.once(SourceIndex)
        self._meaning = reading.source_set.once(SourceMeaning)
        self._figures = reading.source_set.once(SourceFigures)
        self._vocabulary = reading.request.once(Vocabulary)
        self._question_features = reading.request.once(asked_features)
        self._sources = " ".join(part.text.raw for part in reading.source_set.parts)
        self._dense = dense(self._sources)
        said = reading.once(answer_claims)
        self._page = said.page
        before: Sequence[Claim] = ()
        found = []
        for sentence in said.sentences:
            if asserts(sentence):
                found.append(self._doubted(sentence, before))
            before = sentence
        self.sentences = tuple(found)

    def of(self, span: Span) -> float | None:
        """Return the doubt of the most doubtful sentence that a place touches; None for none."""
        touched = (
            one.doubt
            for one in self.sentences
            if one.span.start < span.end and span.start < one.span.end
        )
        return max(touched, default=None)

    def _doubted(self, sentence: Sequence[Claim], before: Sequence[Claim]) -> Doubted:
        start, end = sentence[0].start, sentence[-1].end
        span = Span(*self._page.raw_span(start, end))
        wording = dense(self._page.plain[start:end])
        if len(wording) >= _FEWEST_VERBATIM_CHARS and wording in self._dense:
            return Doubted(span, {}, 0.0)
        signs = self.signs(sentence, before)
        return Doubted(span, signs, doubt(_fitted(), signs))

    def signs(self, sentence: Sequence[Claim], before: Sequence[Claim]) -> Mapping[str, float]:
        """Return the signs against a sentence.

        Args:
            sentence: Its clauses.
            before: Those of the sentence before it, which may name its subject.
        """
        near = before if before and before[0].block is sentence[0].block else ()
        clauses = [claim for claim in sentence if _counts(claim, sentence)]
        words = [word for claim in clauses for word in claim.clause.words if not word.is_light]
        text = self._page.plain[sentence[0].start : sentence[-1].end]
        return {
            "new_nouns": sum(
                len(self._vocabulary.unknown(claim, claim.clause.words)) for claim in clauses
            ),
            "sweeping_words": sum(one not in self._sources for one in _SWEEPING.findall(text)),
            "thinnest_clause": 1 - min(map(self._held, clauses), default=1.0),
            "only_asked": sum(self._is_only_asked(word) for word in words),
            **self._of_figures(sentence[0].sentence),
            **self._of_meaning(statements_in(sentence, near)),
            **self._of_neighbours(words),
        }

    def _held(self, claim: Claim) -> float:
        return self._vocabulary.held(word for word in claim.clause.words if not word.is_light)

    def _is_only_asked(self, word: Word) -> bool:
        return not self._index.knows(word.features[-1]) and self._vocabulary.is_asked(word)

    def _of_figures(self, sentence: int) -> dict[str, float]:
        """Return how likely a figure is another one, and how many are moved or absent."""
        found = [
            self._figures.bind(figure)
            for figure in self._reading.once(answer_figures)
            if figure.claim.sentence == sentence
        ]
        held = [one.held for one in found]
        other = (one.likeness for one in found if one.held in {Relation.DIFFERS, Relation.MOVED})
        return {
            "other_figure": max(other, default=0.0),
            "moved_figures": held.count(Relation.MOVED),
            "absent_figures": held.count(Relation.ABSENT),
        }

    def _of_meaning(self, said: Iterable[Statement]) -> dict[str, float]:
        """Return how much a source opposes, and which limits of the nearest claim are left out."""
        opposed, limits, other = 0.0, 0, False
        for statement in said:
            against = self._meaning.related(statement, self._question_features, (-1,))
            opposed = max([opposed, *(one.share for one in against)])
            nearest = next(iter(self._meaning.about(statement, self._question_features)), None)
            if nearest is not None:
                limits = max(limits, self._limits_left_out(nearest))
                other = other or nearest.source_statement.modality is not statement.modality
        return {"opposed": opposed, "limits_left_out": limits, "other_modality": float(other)}

    def _limits_left_out(self, match: Match) -> int:
        around = {**self._question_features, **match.statement.around}
        limits = (*match.source_statement.only, *match.source_statement.given)
        return sum(not word.is_light and not covered(word, around) for word in limits)

    def _of_neighbours(self, words: Sequence[Word]) -> dict[str, float]:
        """Return what the source sentence that has most of the words lacks of them.

        ``missing_word`` is the weight of the most telling word that it lacks; ``parted_words`` how
        many words that stand beside one another here never share a sentence there.
        """
        known = {
            word.features[-1]: word.features
            for word in words
            if any(map(self._index.knows, word.features))
        }
        weights = {name: max(map(self._index.rarity, features)) for name, features in known.items()}
        held: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        for name, features in known.items():
            for place in {at for one in features for at in self._index.places(one)}:
                found = self._index.claims[place]
                held[found.source, found.claim.sentence].add(name)
        most = max(held.values(), key=lambda own: sum(weights[one] for one in own), default=set())
        missing = (weight for name, weight in weights.items() if name not in most)
        row = [word.features[-1] for word in words if word.features[-1] in known]
        return {
            "missing_word": max(missing, default=0.0),
            "parted_words": sum(_are_parted(one, other, held) for one, other in pairwise(row)),
        }


def asserts(sentence: Sequence[Claim]) -> bool:
    """Tell whether any clause of a sentence says something that can be wrong."""
    return not sentence[0].block.is_heading and any(
        standing_of(claim, sentence) is Standing.ASSERTED for claim in sentence
    )


def _counts(claim: Claim, sentence: Sequence[Claim]) -> bool:
    clause = claim.clause
    names_case = clause.is_condition or clause.is_concession
    return names_case or standing_of(claim, sentence) is Standing.ASSERTED


def _are_parted(one: str, other: str, held: Mapping[tuple[int, int], set[str]]) -> bool:
    return one != other and not any(one in own and other in own for own in held.values())


def doubt(weights: Mapping[str, float], signs: Mapping[str, float]) -> float:
    """Return the doubt, from 0 to 1, that some weights give to the signs of a sentence."""
    total = weights[BIAS] + sum(weights.get(name, 0.0) * sign for name, sign in signs.items())
    return 1 / (1 + math.exp(-total))


@cache
def _fitted() -> Mapping[str, float]:
    return {name: float(weight) for name, weight in groups("doubt")}


class Limits(NamedTuple):
    """The fitted limits of doubt.

    Attributes:
        doubtful_from: From here on a sentence is not called verified.
        asked_from: From here on a judge is asked about it.
    """

    doubtful_from: float
    asked_from: float


def limits() -> Limits:
    """Return the fitted limits of doubt."""
    fitted = _fitted()
    return Limits(fitted["doubtful_from"], fitted["asked_from"])
