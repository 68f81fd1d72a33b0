"""The last resort before a template: the sources' own sentences, where they plainly answer.

Only a question for one figure is answered so (몇 명, 얼마, 언제): every word of it has to stand in
the sentence or above it, and the sentence has to hold a figure of the kind that is asked for. What
would have to be worked out, compared, or told from today's date is left alone.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.reading import Text, source_text
from guards.lexicons.question_words import FRAME_NOUNS, MEASURE_NOUNS
from guards.text.asked_kind import Kinds, asked_kinds
from guards.text.asked_value import without_asking_words
from guards.text.conflict_statements import Statement, statements_of
from guards.text.conflict_values import Figure, figures_of
from guards.text.editions import Edition, edition_of
from guards.text.lemmas import lemma
from guards.text.slots.units import Dimension
from guards.text.tokens import Word, content_words, word_stem

_MOST_SENTENCES = 3
_LONGEST_SENTENCE_CHARS = 300
_LONGEST_QUESTION_CHARS = 200
_OPENING = "제공된 자료에는 다음과 같이 나와 있습니다."
_OPENING_FOR_SEVERAL = "제공된 자료마다 다음과 같이 나와 있습니다."
_NOT_PLAIN = re.compile(
    r"가장|제일|최고|최저|최대|최소|최장|한도|상한|하한|합계|총합|합치|합하|합쳐|차이|평균|비교|계산|남은|남았|지났|지난|이번|올해|내년|작년|"
    r"오늘|내일|어제|다음\s?(?:달|주|해)|제가|저는|저의|말고|빼고|제외|아닌|없|않|못|(?<![가-힣])안\s?[되하돼받가]|"
    r"더\s?(?:비싼|싼|많|적|길|짧|늦|빠)"
)
# Verbs that only carry the question: 얼마 내나요, 며칠 걸려요, 언제까지 알려야 하나요.
_ASKING_VERB = re.compile(
    r"(?:하|되|받|드|내|주|가|쓰|타|걸리|알리)(?:나요|나|는지|는가요|죠|지요|면|려면)"
    r"|(?:걸려|알려|받아|내야|줘|들어|써|타)(?:요|야|도)?|[가-힣]?(?:인가요|예요|이에요|인지요?|입니까|합니까|됩니까|줍니까)"
    r"|뭐예요|뭔가요|뭐죠|하나요|되나요"
)
_BOUND = frozenset("안 안에 내 내에 정도 최대 최소 보통 연간 시 때 경우 까지 부터 한 총".split())
_EXCEPTION = re.compile(r"(?:다만|단)[,\s]")
_MARKER = re.compile(r"^(?:[-*•·○●▪■◦]\s+|(?:\d{1,3}|[가-하])[.)]\s+|[①-⑳]\s*)+")
_CLOSED = re.compile(r"(?:다|요|음|함|됨|임)[.!]?[)\"”’]?$|^[^:\n]{1,30}:\s")
_TOPIC = re.compile(r"(?<![가-힣])(?P<topic>[가-힣]{2,12}?)(?:은|는)(?=[\s,])")
_PEOPLE = re.compile(
    r"(?:직원|임직원|사람|자|분|고객|손님|회원|이용자|근로자|신청자|투숙객|방문객|학생|회사|본사|당사|구성원|대상자)$"
)
_VERB = re.compile(r"(?:하|되|려|있|없|받|않|시키|당하)$")  # 퇴직하려는 직원
_SPACING = re.compile(r"[\s·ㆍ,]+")


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
    """A question: the kinds of figure it asks for, its words, and the figures it gives itself."""

    question: str
    kinds: Kinds
    words: Sequence[Word]
    given: Sequence[Figure]


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
    asked = _Asked(question, kinds, _subject(question), figures_of(Text(question)))
    if not asked.words:
        return None
    chosen = _chosen([one for source in sources for one in _found_in(source, asked)])
    return _told(chosen) if chosen else None


def _subject(question: str) -> list[Word]:
    """Return the words that the sources have to have."""
    return [
        word
        for word in content_words(without_asking_words(question))
        if not (
            word.stem in FRAME_NOUNS
            or word.stem in MEASURE_NOUNS
            or word.text in _BOUND
            or word.stem in _BOUND
            or _ASKING_VERB.fullmatch(word.text)
        )
    ]


def _found_in(source: Source, asked: _Asked) -> list[_Found]:
    text = source_text(source.text)
    edition = edition_of(source)
    found: list[_Found] = []
    for statement in statements_of(text):
        if not (_is_plain(statement) and _holds(statement, asked)):
            continue
        around = " ".join((edition.name, *sorted(statement.heading)))
        sentence = statement.sentence
        if _has_all(f"{sentence} {around}", asked) and _is_about(sentence, asked, around):
            quoted = _quoted(text, statement)
            found.append(_Found(source, edition, quoted, _has_all(sentence, asked)))
    return found


def _is_plain(statement: Statement) -> bool:
    sentence = statement.sentence
    return (
        len(sentence) <= _LONGEST_SENTENCE_CHARS
        and not statement.points
        and "|" not in sentence
        and _CLOSED.search(sentence) is not None
    )


def _holds(statement: Statement, asked: _Asked) -> bool:
    """Tell whether a sentence has a figure of that kind besides those that the question gave."""
    if not all(_is_among(figure, statement.figures) for figure in asked.given):
        return False
    return any(
        figure.kind in asked.kinds and not _is_among(figure, asked.given)
        for figure in statement.figures
    )


def _is_among(figure: Figure, figures: Sequence[Figure]) -> bool:
    return any(figure.is_like(one) for one in figures)


def _has_all(text: str, asked: _Asked) -> bool:
    dense = _dense(text)
    held = {form for word in content_words(text) for form in (word.stem, lemma(word.text))}
    return all(
        lemma(word.text) in held or _stands(_bare(word.stem, asked.kinds), dense, held)
        for word in asked.words
    )


def _bare(stem: str, kinds: Kinds) -> str:
    """Return what of a word must stand there: 설립 of 설립일, where a date is asked for."""
    is_day = Dimension.DATE in kinds and stem.endswith("일") and len(stem) > len("휴일")
    return stem[:-1] if is_day else stem


def _stands(stem: str, dense: str, held: set[str]) -> bool:
    """Tell whether a word stands in a text with any spacing; a syllable, whether as a word."""
    return stem in held if len(stem) == 1 else stem.casefold() in dense


def _is_about(sentence: str, asked: _Asked, around: str) -> bool:
    """Tell whether the topic of a sentence (…은/는) is the question's or just whom it is for."""
    topics = (word_stem(topic["topic"]) for topic in _TOPIC.finditer(sentence))
    name = next((topic for topic in topics if not _VERB.search(topic)), "")
    if not name or _PEOPLE.search(name):
        return True
    return name in _dense(f"{asked.question} {around}") or any(
        name.endswith(word.stem) for word in asked.words
    )


def _quoted(text: Text, statement: Statement) -> str:
    """Return a sentence with the exception that follows it."""
    quoted = _MARKER.sub("", statement.sentence)
    following = bisect_right(text.sentences, statement.start, key=lambda one: one.start)
    if following < len(text.sentences) and _EXCEPTION.match(text.sentences[following].text):
        return f"{quoted} {text.sentences[following].text}"
    return quoted


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


def _dense(text: str) -> str:
    """Return a text without spacing, middle dots and case."""
    return _SPACING.sub("", text).casefold()
