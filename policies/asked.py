"""What a question asks for, word by word, as one line of the sources may answer it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from guards.claims.question import Kinds, asked_kinds, unread_words
from guards.claims.reader import Clause, read_sentence
from guards.core.reading import Text
from guards.evidence.values import Value, values_of
from guards.korean.words import Word, canonical
from guards.lexicons.loading import section_words, sections
from guards.text.particles import final_consonant, stem
from guards.text.sentences import split_sentences
from guards.text.slots.contact import ContactKind
from guards.text.slots.units import Dimension

Role = Literal["thing", "act", "case", "number", "told", "denied"]

_SPELLED = [
    (re.compile(pattern), plain.replace("_", " "))
    for pattern, plain in map(str.split, sections("direct_answers")["spelled"])
]
# 햇는데, 잇나요: ㅅ for ㅆ.
_SHORT_PAST = re.compile(r"[가-힣](?=[는어나던습지음])")
_ENDS_IN_S = frozenset("못옷맛것곳뜻빗씻웃벗솟짓긋붓젓낫멋핏섯셋넷엿")
_S, _L = 19, 8  # ㅅ and ㄹ as final consonants
_CAN = re.compile(r"(?P<act>[가-힣])수(?=[있없])")
_ASKING = re.compile(
    r"(?<![가-힣])(?:몇|며칠|얼마|언제|어디|누구|누가|무엇|무슨|뭐|뭘|뭔|어느|어떤|어떻게)|[?？]"
    r"|나요|까요|가요|[는은인을]지|습니까|[가-힣]죠|되나|려\s?주세요|줘요?"
)
_MONEY: Kinds = frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY", "포인트", "점"})
_PERIOD: Kinds = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
_NAMED: Mapping[str, Kinds] = {
    "money": _MONEY,
    "charge": _MONEY | {Dimension.PERCENT},
    "period": _PERIOD,
    "when": _PERIOD | {Dimension.DATE, Dimension.CLOCK},
    "clock": frozenset({Dimension.CLOCK}),
    "phone": frozenset({ContactKind.PHONE}),
}
_FIGURES, _OTHERS = (
    [(name, re.compile(pattern)) for name, pattern in map(str.split, entries)]
    for entries in (sections("direct_answers")["figures"], sections("direct_answers")["others"])
)
_SIDES = [
    (re.compile(asks), re.compile(says))
    for asks, says in map(str.split, sections("direct_answers")["sides"])
]
# 텐트안, 재택근무때.
_GLUED = re.compile(r"[가-힣](?:[가-힣](?<!동)안|때)$")
_ENDING = re.compile(r"(?:인데|이고|이면|이라|이에요|예요|된|부터|까지|짜리|정도|요)$")
_PER_UNIT = re.compile(r"[가-힣]에\s?얼마")
_NUMBERED = re.compile(r"[A-Za-z]+-?\d+|\d+[가-힣]{1,4}")
_DENIED = re.compile(r"[이가은는도]?\s?(?:아니|아님|아닌|말고|빼고)")
_CASES = section_words("direct_answers", "cases")
_FRAME = section_words("direct_answers", "asking")
_FRAME_VERBS = section_words("direct_answers", "asking verbs")


@dataclass(frozen=True, slots=True)
class AskedWord:
    """A word of a question.

    Attributes:
        word: The word.
        text: It, with 다 if it is a verb.
        role: What it is in the question; `told` of what users tell before they ask, `denied` of
            what they do not mean (성수기 말고).
    """

    word: Word
    text: str
    role: Role


@dataclass(frozen=True, slots=True)
class Asked:
    """A question.

    Attributes:
        text: The question, as dictionaries spell it.
        kinds: The kinds of figure that it asks for, if any.
        asks_for: What else it asks for (place); empty if that is not clear.
        words: Its words that say what it is about.
        denied: The words for what it is not about (성수기 말고).
        given: The figures that it gives itself.
        side: What says the end or the extent that is asked for (몇 시까지).
    """

    text: str
    kinds: Kinds
    asks_for: str
    words: Sequence[AskedWord]
    denied: frozenset[str]
    given: Sequence[Value]
    side: re.Pattern[str] | None


def read_asked(question: str) -> Asked:
    """Read a question."""
    text = spelled(question)
    given = values_of(Text(text))
    words = _words(text, given)
    # 할인을 받고 싶은데 뭘 들고 가나요: what is told before is not asked.
    asking = _asking_part(text)
    asks_for = _asks_for(asking) or _asks_for(text)
    return Asked(
        text,
        _kinds(asking) or (frozenset() if asks_for else _kinds(text)),
        asks_for,
        [one for one in words if one.role != "denied"],
        frozenset(one.text for one in words if one.role == "denied"),
        given,
        next((says for asks, says in _SIDES if asks.search(text)), None),
    )


def _asks_for(text: str) -> str:
    return next((name for name, asking in _OTHERS if asking.search(text)), "")


def _asking_part(text: str) -> str:
    """Return the clauses of a question that ask, and the conditions between them."""
    found = []
    for sentence in split_sentences(text):
        for clause in read_sentence(sentence.text):
            own = sentence.text[clause.start : clause.end]
            if clause.is_condition or clause.is_concession or _ASKING.search(own):
                found.append(own)
    return " ".join(found) or text


def spelled(question: str) -> str:
    """Return a question as dictionaries spell it: 잇나여 is 있나요, 할수있나 is 할 수 있나."""
    for pattern, plain in _SPELLED:
        question = pattern.sub(plain, question)
    question = _SHORT_PAST.sub(_with_past, question)
    return _CAN.sub(_with_space, question)


def _with_past(match: re.Match[str]) -> str:
    syllable = match[0]
    is_short = final_consonant(syllable) == _S and syllable not in _ENDS_IN_S
    return chr(ord(syllable) + 1) if is_short else syllable


def _with_space(match: re.Match[str]) -> str:
    return f"{match['act']} 수 " if final_consonant(match["act"]) == _L else match[0]


def _kinds(question: str) -> Kinds:
    named = next((name for name, asking in _FIGURES if asking.search(question)), "")
    roughly = _NAMED.get(named, frozenset())
    exactly = asked_kinds(question)
    if not exactly or roughly == _PERIOD:
        return roughly
    if roughly & _MONEY and not exactly & _MONEY and _PER_UNIT.search(question):
        return roughly  # 한 시간에 얼마
    return exactly | roughly if roughly & exactly else exactly


def _words(question: str, given: Sequence[Value]) -> list[AskedWord]:
    clauses = [
        (one.text, clause)
        for one in split_sentences(question)
        for clause in read_sentence(one.text)
    ]
    asks = [_ASKING.search(text[one.start : one.end]) is not None for text, one in clauses]
    last = max((at for at, one in enumerate(asks) if one), default=len(clauses) - 1)
    found: list[AskedWord] = []
    for at, (text, clause) in enumerate(clauses):
        is_case = clause.is_condition or clause.is_concession
        is_told = at != last and not asks[at] and not is_case
        found += _of_clause(text, clause, is_told=is_told)
    found += _numbered(question, given)
    found += _unread(question)
    numbers = [one.text for one in found if one.role == "number"]
    found = [
        one
        for one in found
        if one.role == "number" or not any(text.endswith(one.word.text) for text in numbers)
    ]
    if any(one.role == "thing" for one in found):
        return found
    # Where it asks in words of the frame only, what users tell is what they ask about.
    return [replace(one, role=_role(one.word)) if one.role == "told" else one for one in found]


def _of_clause(text: str, clause: Clause, *, is_told: bool) -> Iterator[AskedWord]:
    for word in clause.words:
        if word.text in _CASES:
            yield AskedWord(word, word.text, "case")
            continue
        in_figure = any(one.start <= word.start and word.end <= one.end for one in clause.figures)
        if in_figure or _says_nothing(word, text):
            continue
        whole = f"{word.text}다" if is_verb(word) else word.text
        if _GLUED.search(word.text):
            whole = word.text[:-1]
            word = word._replace(text=whole, features=(canonical(whole),))  # noqa: PLW2901
        is_cause = text[word.end :].lstrip().startswith("때문")
        role: Role = "told" if is_told or is_cause else _role(word)
        yield AskedWord(word, whole, "denied" if _DENIED.match(text, word.end) else role)


def _numbered(question: str, given: Sequence[Value]) -> Iterator[AskedWord]:
    """Yield the words with a number that are no values: 4인실, 2종."""
    for match in _NUMBERED.finditer(question):
        if not any(one.start <= match.start() < one.end for one in given):
            text = stem(_ENDING.sub("", match[0]))
            end = match.start() + len(text)
            word = Word(text, (text,), match.start(), end, "", False, False, False)
            yield AskedWord(word, text, "number")


def _unread(question: str) -> Iterator[AskedWord]:
    """Yield the words that the analyser took apart (이자는: 이/VCP 자/EC 는/JX)."""
    for text in unread_words(question):
        if text not in _FRAME and not _ASKING.search(text):
            yield AskedWord(Word(text, (text,), 0, 0, "", False, False, False), text, "thing")


def _role(word: Word) -> Role:
    return "act" if is_verb(word) else "thing"


def is_verb(word: Word) -> bool:
    """Tell whether a word is a verb or adjective by itself, and no noun made one (신청하다)."""
    return word.is_verb and word.features == (canonical(f"{word.text}다"),)


def _says_nothing(word: Word, text: str) -> bool:
    if is_verb(word):
        return word.text in _FRAME_VERBS
    is_glued = word.start > 0 and "가" <= text[word.start - 1] <= "힣"
    if len(word.text) == 1 and is_glued and not word.is_name:
        return True  # one syllable of a word that was taken apart
    return word.text in _FRAME or word.text.startswith(("얼마", "며칠"))
