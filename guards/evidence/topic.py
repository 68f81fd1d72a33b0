"""Topic of a question: its nouns, with their compounds, and its verbs."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from guards.korean.morphemes import Morpheme, morphemes
from guards.lexicons.loading import groups, sections
from guards.text.sentences import split_sentences

_QUESTIONS_KEPT = 64
_MOST_WORDS = 40
_NAMING = frozenset({"NNG", "NNP", "XR", "SL", "SH"})
_NOMINAL = _NAMING | {"NNB", "NNBC", "NR", "MM", "XPN", "XSN"}
_PREDICATES = frozenset({"VV", "VA"})
_LATIN = re.compile(r"[A-Za-z]")
_HANGUL_LETTER = re.compile(r"[가-힣]")


class Word(NamedTuple):
    """A word of a question.

    Attributes:
        text: The word; a verb with 다.
        whole: The compound that it is a part of, or the word itself.
        is_minor: It says little of the subject: a verb, a syllable, or the user's own case.
    """

    text: str
    whole: str
    is_minor: bool


@lru_cache(maxsize=_QUESTIONS_KEPT)
def topic_words(question: str) -> tuple[Word, ...]:
    """Return the words of a question that tell what it is about; none of a text as long as a page.

    Neither are there any if it is written in another script than Korean.
    """
    if len(_LATIN.findall(question)) > len(_HANGUL_LETTER.findall(question)):
        return ()
    words = tuple(islice(_topic_words(question), _MOST_WORDS + 1))
    return words if len(words) <= _MOST_WORDS else ()


def _topic_words(question: str) -> Iterator[Word]:
    frame = _frame()
    for run in runs(question):
        if run[0].tag in _PREDICATES:
            if run[0].form not in frame["verbs"]:
                yield Word(f"{run[0].form}다", f"{run[0].form}다", is_minor=True)
            continue
        written = question[run[0].start : run[-1].end].casefold()
        known, end = _known_start(question, run)
        if known:
            yield Word(known, known, known in frame["slight"])
        for one in run:
            form = one.form.casefold()
            if one.tag in _NAMING and one.start >= end and form not in frame["nothing"]:
                yield Word(form, written, len(form) == 1 or form in frame["slight"])


def names_subject(question: str) -> bool:
    """Tell whether a question names what it is about: in nouns only, and in two or more of them.

    One that tells it in verbs (``늦게 데리러 가도 돼요?``) may share no word with what answers it.
    A request for work on a text (``영어로 번역해 주세요``) is about no subject.
    """
    words = topic_words(question)
    in_verbs = any(word.text.endswith("다") for word in words)
    subjects = {word.text for word in words if not word.is_minor}
    return not in_verbs and len(subjects) > 1 and subjects.isdisjoint(_frame()["tasks"])


def asks_for_rules(question: str) -> bool:
    """Tell whether a question is one sentence that asks for the rules on a subject (규정, 절차)."""
    forms = {one.form for one in morphemes(question)}
    return not forms.isdisjoint(_frame()["rules"]) and len(split_sentences(question)) == 1


def is_frame_noun(noun: str) -> bool:
    """Tell whether a noun of a question does not name a subject."""
    return noun in _frame()["nothing"] or noun in _frame()["slight"]


def runs(text: str) -> Iterator[list[Morpheme]]:
    """Yield the nominal morphemes that stand together, and each verb or adjective by itself."""
    run: list[Morpheme] = []
    for one in morphemes(text):
        if one.tag in _NOMINAL and run and one.start == run[-1].end:
            run.append(one)
            continue
        if run:
            yield run
        run = [one] if one.tag in _NOMINAL else []
        if one.tag in _PREDICATES:
            yield [one]
    if run:
        yield run


def _known_start(question: str, run: list[Morpheme]) -> tuple[str, int]:
    """Return the listed word that a run begins with, if it was cut up (반려|견이), and its end."""
    start = run[0].start
    while start > 0 and not question[start - 1].isspace():
        start -= 1
    for end in range(run[-1].end, run[0].end, -1):
        if (written := question[start:end].casefold()) in _other_words():
            return written, end
    return "", 0


def other_words(word: str) -> frozenset[str]:
    """Return the words that may stand for a word, besides itself."""
    return _other_words().get(word, frozenset())


@cache
def _other_words() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in groups("everyday_words"):
        group = frozenset(word.casefold() for word in line)
        for word in group:
            found[word] = found.get(word, frozenset()) | group - {word}
    return found


@cache
def _frame() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(word for line in entries for word in line.split())
        for name, entries in sections("question_frame").items()
    }
