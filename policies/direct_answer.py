"""The last resort before a template: the sources' own sentences, where they plainly answer.

Only a question for one figure is answered so (몇 명, 얼마, 언제): every word of it has to stand in
the sentence, the row or above it, and there has to be a figure of the kind that is asked for. What
would have to be worked out, compared, or told from today's date is left alone.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from guards.claims.asked import Kinds, asked_kinds, asked_words, unread_words
from guards.claims.layout import Level
from guards.core.exchange import Source
from guards.core.reading import Text, source_set
from guards.evidence.contradictions import Contradictions, Told
from guards.evidence.values import Value, kind_of, values_of
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, content_words
from guards.text.editions import Edition
from guards.text.slots.units import Dimension

_MOST_SENTENCES = 3
_LONGEST_SENTENCE_CHARS = 300
_LONGEST_QUESTION_CHARS = 200
_OPENING = "자료에는 다음과 같이 안내되어 있습니다."
_OPENING_FOR_SEVERAL = "자료마다 다음과 같이 안내되어 있습니다."
_NOT_PLAIN = re.compile(
    r"가장|제일|최고|최저|최대|최소|최장|한도|상한|하한|합계|총합|합치|합하|합쳐|차이|평균|비교|계산|남은|남았|지났|지난|이번|올해|내년|작년|"
    r"오늘|내일|어제|다음\s?(?:달|주|해)|제가|저는|저의|말고|빼고|제외|아닌|없|않|못|(?<![가-힣])안\s?[되하돼받가]|"
    r"더\s?(?:비싼|싼|많|적|길|짧|늦|빠)"
)
_EXCEPTION = re.compile(r"(?:다만|단)[,\s]")
_CLOSED = re.compile(r"(?:다|요|음|함|됨|임)[.!]?[)\"”’]?$")
_CODE = re.compile(r"[A-Za-z]+-?\d+|\d+[A-Za-z]+")
_SPACING = re.compile(r"[\s·ㆍ,]+")
_PEOPLE = re.compile(
    r"(?:직원|임직원|사람|자|분|고객|손님|회원|이용자|근로자|신청자|투숙객|방문객|학생|회사|본사|당사|구성원|대상자)$"
)
_TOPIC = frozenset({"은", "는"})
# Of a compound, its simple nouns, the compound, and perhaps an ending of one syllable.
_COMPOUND = 3


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """An answer in the sources' own words.

    Attributes:
        text: What the user reads.
        sentences: The quoted sentences, verbatim.
        source_ids: The source of each of them.
    """

    text: str
    sentences: tuple[str, ...]
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question.

    Attributes:
        kinds: The kinds of figure that it asks for.
        words: Its words; the last one says what the figure is asked of.
        verbatim: What has to stand there as it is: codes (P1), and words that could not be read.
        features: The features of all its words.
        given: The figures that it gives itself.
    """

    kinds: Kinds
    words: Sequence[Word]
    verbatim: Sequence[str]
    features: frozenset[str]
    given: Sequence[Value]


@dataclass(frozen=True, slots=True)
class _Found:
    """A sentence that answers; `by_itself` if it needs no heading for that."""

    source: Source
    edition: Edition
    quoted: str
    by_itself: bool


def direct_answer(question: str, sources: Sequence[Source]) -> DirectAnswer | None:
    """Answer a question with up to three sentences of its sources, or not at all.

    Args:
        question: The user's question.
        sources: What it may be answered from.
    """
    if len(question) > _LONGEST_QUESTION_CHARS:
        return None
    kinds = asked_kinds(question)
    if not kinds or _NOT_PLAIN.search(question):
        return None
    words = asked_words(question)
    if not words:
        return None
    verbatim = [*map(str.casefold, _CODE.findall(question)), *unread_words(question)]
    features = _features(content_words(morphemes(question)))
    asked = _Asked(kinds, words, verbatim, features, values_of(Text(question)))
    told = source_set(tuple(sources)).once(Contradictions).told
    chosen = _chosen([_found(one, asked) for one in told if _answers(one, asked)])
    return _told(chosen) if chosen else None


def _answers(told: Told, asked: _Asked) -> bool:
    return (
        _is_plain(told)
        and _holds(told, asked)
        and _has_all(_Said.of(f"{told.edition.name} {told.quoted}", told.around), asked)
        and _is_about(told, asked)
        and _is_bound(told, asked)
    )


def _found(told: Told, asked: _Asked) -> _Found:
    quoted = _quoted(told)
    by_itself = _has_all(_Said.of(quoted, _features(content_words(morphemes(quoted)))), asked)
    if _EXCEPTION.match(told.behind):
        quoted = f"{quoted} {told.behind}"
    return _Found(told.source, told.edition, quoted, by_itself)


def _features(words: Iterable[Word]) -> frozenset[str]:
    return frozenset(feature for word in words for feature in word.features)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a text says: the features of its words, and the text without spaces and case."""

    features: Collection[str]
    dense: str

    @classmethod
    def of(cls, text: str, features: Collection[str]) -> "_Said":
        """Return what a text says."""
        return cls(features, _SPACING.sub("", text).casefold())

    def has(self, word: Word, kinds: Kinds) -> bool:
        """Tell whether a word stands there, or all nouns that it is made of.

        Where a date is asked for, 설립 stands for 설립일.
        """
        *parts, whole = word.features
        if whole in self.features or (len(word.text) > 1 and word.text.casefold() in self.dense):
            return True
        may_be_parts = len(word.features) >= _COMPOUND or (
            Dimension.DATE in kinds and whole.endswith("일")
        )
        return may_be_parts and bool(parts) and all(part in self.features for part in parts)


def _is_plain(told: Told) -> bool:
    block = told.sentence[0].block
    if len(told.text) > _LONGEST_SENTENCE_CHARS or told.points:
        return False
    is_labelled = any(label.level is not Level.HEADING for label in block.labels)
    return block.is_cell or is_labelled or _CLOSED.search(told.text) is not None


def _holds(told: Told, asked: _Asked) -> bool:
    """Tell whether a sentence has a figure of that kind besides those that the question gave."""
    labels = " / ".join(label.text for label in told.sentence[0].block.labels)
    known = (*told.values, *values_of(Text(labels)))
    return all(value.is_among(known) for value in asked.given) and any(
        value.kind in asked.kinds and not value.is_among(asked.given) for value in told.values
    )


def _has_all(said: _Said, asked: _Asked) -> bool:
    return all(text in said.dense for text in asked.verbatim) and all(
        said.has(word, asked.kinds) for word in asked.words
    )


def _is_bound(told: Told, asked: _Asked) -> bool:
    """Tell whether no other clause of the sentence has what the figure is asked of."""
    head = asked.words[-1]
    has_head = {
        claim.position
        for claim in told.sentence
        if _Said.of(claim.text, _features(claim.clause.words)).has(head, asked.kinds)
    }
    has_figure = {
        claim.position
        for claim in told.sentence
        if any(kind_of(one.measure) in asked.kinds for one in claim.clause.figures)
    }
    return not (has_head and has_figure) or not has_head.isdisjoint(has_figure)


def _is_about(told: Told, asked: _Asked) -> bool:
    """Tell whether the topic of a sentence (…은/는) is the question's or just whom it is for."""
    words = [word for claim in told.sentence for word in claim.clause.words]
    topic = next((one for one in words if one.particle in _TOPIC and not one.is_verb), None)
    if topic is None or _PEOPLE.search(topic.text):
        return True
    above = f"{told.edition.name} {' '.join(told.headings)}"
    return topic.text in above or not asked.features.isdisjoint(topic.features)


def _quoted(told: Told) -> str:
    """Return a sentence; what stands in a row or behind a label, with those words before it."""
    block = told.sentence[0].block
    is_whole = _CLOSED.search(told.text) is not None and not block.is_cell
    left_out = {Level.HEADING, Level.PARENT} if is_whole else {Level.HEADING}
    names = dict.fromkeys(label.text for label in block.labels if label.level not in left_out)
    return f"{' '.join(names)}: {told.text}" if names else told.text


def _chosen(found: Sequence[_Found]) -> list[_Found]:
    """Return the sentences to quote; none if it is not clear which ones answer."""
    editions = {one.edition for one in found}
    older = {one for one in editions if any(_supersedes(other, one) for other in editions)}
    current = [one for one in found if one.edition not in older]
    complete = [one for one in current if one.by_itself]
    if not complete and len({one.quoted for one in current}) > 1:
        return []  # each is only told by its heading to be about the question
    different = {one.quoted: one for one in reversed(complete or current)}
    return list(reversed(different.values())) if len(different) <= _MOST_SENTENCES else []


def _supersedes(newer: Edition, older: Edition) -> bool:
    return newer.subject == older.subject and newer.is_newer_than(older)


def _told(chosen: Sequence[_Found]) -> DirectAnswer:
    by_source: dict[str, list[_Found]] = {}
    for one in chosen:
        by_source.setdefault(one.source.id, []).append(one)
    opening = _OPENING if len(by_source) == 1 else _OPENING_FOR_SEVERAL
    quotations = [_quotation(group) for group in by_source.values()]
    return DirectAnswer(
        text="\n\n".join((opening, *quotations)),
        sentences=tuple(one.quoted for one in chosen),
        source_ids=tuple(one.source.id for one in chosen),
    )


def _quotation(group: Sequence[_Found]) -> str:
    source = group[0].source
    lines = [f"“{one.quoted}”" for one in group]
    return "\n".join((*lines, f"(출처: {source.title or source.file or f'자료 {source.id}'})"))
