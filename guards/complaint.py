"""Complaints about the bot or its answers, abuse of it, and words of crisis.

Finds: sentences that show dissatisfaction with the bot or its answer (ignorance, repetition,
    evasion, uselessness, mockery, orders to stop), known by their predicate or because they are
    made of words about talk alone, one of them unkind; swear words turned on the bot, also broken
    up, drawn out, cut down, masked or typed with the keyboard set to Latin (``시♡발``, ``ㅅㅂ``,
    ``씨이발``, ``씨X``, ``tlqkf``); and words of self-harm or of a threat. The gravest comes first.
    Where the message also asks for information, complaint and abuse are only a weak note on its
    tone.
Misses: irony, figures of speech that are not listed, complaints that name a matter unknown to the
    lists, bare feelings beside a sentence about something else, abuse of third parties (left alone
    on purpose), and complaints in messages over 1,000 characters.
Score: 1.0 for crisis and abuse; 0.9 for a complaint that only a talk partner can be meant by; 0.8
    for displeasure that the bot is not named in, where nothing else is either; 0.5 for the tone of
    a question.
Source: our own observation of Korean endings, forms of address and rhetorical questions; word
    lists in ``guards/lexicons``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Code, Guard, GuardSettings, Stage
from guards.core.reading import Reading
from guards.lexicons import address, crisis, profanity
from guards.lexicons.phrases import phrases, words
from guards.text.closed_talk import names_nothing_else
from guards.text.displeasure import (
    LONGEST_COMPLAINT_LETTERS,
    OTHERS,
    SURE_BY_CONTEXT,
    Core,
    core_of,
    is_filler,
    reproach,
    speaks_of_asking,
)
from guards.text.hangul import Letters, joined, letters_only
from guards.text.swearing import Swearword, swearwords

LONGEST_MESSAGE_CHARS = 1000
LONGEST_SERIES_LETTERS = 30
_TONE = "complaint.with_question"

_QUOTED = re.compile(r"\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|「[^」\n]{1,100}」|『[^』\n]{1,100}』")
_CLAUSE = re.compile(r"[^.?!,;~…\n]+")
_SPACE = re.compile(r"\s+")
_WHAT_IS_DONE_WITH_IT = re.compile(phrases(profanity.LIGHT_VERBS, {}) + "$")
_SELF_HARM = re.compile(phrases(crisis.SELF_HARM, crisis.GROUPS))
_THREAT = re.compile(phrases(crisis.THREAT, crisis.GROUPS))
_NOT_ONES_OWN = re.compile(crisis.NOT_ONES_OWN)
_HARMLESS_BEFORE = re.compile(crisis.HARMLESS_BEFORE)
_US = words(address.YOU + " " + address.BOT) + words(address.PARTICLES)
_ADDRESSED = re.compile(f"(?<![가-힣a-z]){_US}?(?![가-힣a-z])", re.IGNORECASE)
_REQUEST = re.compile(
    f"{words(address.QUESTION_WORDS + ' ' + address.REQUESTS)}|{words(address.ASKING_ENDINGS)}$"
)
_EMPHASIS = re.compile(f"(?<![가-힣]){words(address.EMPHASIS)}(?![가-힣])")
_ENDING_LIKE_NOUN = re.compile(
    f"(?<![가-힣]){words(address.ENDING_LIKE_NOUNS)}{words(address.PARTICLES)}?(?![가-힣])"
)
_REQUEST_INSIDE = re.compile(words(address.REQUESTS_INSIDE))
_REQUEST_IN_FRONT = re.compile(words(address.REQUESTS_IN_FRONT))


class ComplaintSettings(GuardSettings):
    """Options of the complaint guard."""

    extra_words: tuple[str, ...] = Field(
        (), description="Plain words that make a message a complaint when it asks for nothing."
    )
    ignore_words: tuple[str, ...] = Field(
        (), description="Plain words that are overlooked, such as a product's name."
    )
    crisis: bool = Field(True, description="Whether words of self-harm or threat are reported.")


@dataclass(frozen=True, slots=True)
class _Remark:
    """Something unkind: its code, its place in the joined text, and how sure we are."""

    code: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class _Clause:
    """A piece of the message between two marks, without its swear words.

    Attributes:
        letters: Its letters; their places are positions in the joined text.
        text: The piece itself.
        start: Where it begins in the joined text.
        question_mark: Whether it ends with one.
        swearwords: Those that stood in it.
    """

    letters: Letters
    text: str
    start: int
    question_mark: bool
    swearwords: tuple[Swearword, ...]


class Complaint(Guard[ComplaintSettings]):
    """Report complaints, abuse and crisis in the user's message."""

    id = "complaint"
    stages = frozenset({Stage.INPUT})
    settings_type = ComplaintSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "complaint.venting": Code("The user is dissatisfied with the bot or its answer."),
        "complaint.abuse": Code("The user swears at the bot or insults it."),
        "complaint.crisis": Code("The user speaks of self-harm or threatens somebody."),
        _TONE: Code("A complaint or a swear word beside a question."),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Report what is said to the bot; strong only where nothing is asked of it."""
        spelled = joined(reading.question.text.normal.text)
        text = self._blanked(spelled.text)
        remarks = list(_crises(text)) if self.settings.crisis else []
        if len(text) > LONGEST_MESSAGE_CHARS:
            return [self._finding(reading, spelled, remark) for remark in remarks]
        remarks += self._unkind(list(_clauses(text)))
        return [self._finding(reading, spelled, remark) for remark in remarks]

    def _unkind(self, clauses: list[_Clause]) -> list[_Remark]:
        """Return complaints and abuse; mere notes on the tone if the message asks for something."""
        complaints = [_complaint(clause, self.settings.extra_words) for clause in clauses]
        if any(map(_asks, clauses, complaints)):
            swearing = [_swearing(w, _TONE, 0.5) for clause in clauses for w in clause.swearwords]
            return [replace(c, code=_TONE, score=0.5) for c in complaints if c] + swearing
        if any(map(_tells_something_else, clauses, complaints)):
            complaints = [c if c and c.score > SURE_BY_CONTEXT else None for c in complaints]
        abuse = [
            _swearing(word, "complaint.abuse", 1.0)
            for clause, complaint in zip(clauses, complaints, strict=True)
            if complaint or _is_aimed_at_us(clause)
            for word in clause.swearwords
        ]
        return abuse + [complaint for complaint in complaints if complaint]

    def _blanked(self, text: str) -> str:
        """Return the text with quoted pieces and ignored words overwritten by spaces."""
        for pattern in (_QUOTED, *(re.compile(re.escape(w)) for w in self.settings.ignore_words)):
            text = pattern.sub(lambda found: " " * len(found[0]), text)
        return text

    def _finding(self, reading: Reading, spelled: Letters, remark: _Remark) -> Finding:
        normal = reading.question.text.normal
        start, end = normal.to_raw(*spelled.place(remark.start, remark.end))
        weak = remark.code == _TONE
        return Finding(
            guard=self.id,
            code=remark.code,
            part=reading.question.name,
            span=Span(start, end),
            observed=reading.question.text.raw[start:end],
            severity=Severity.WEAK if weak else Severity.STRONG,
            score=remark.score,
        )


def _crises(text: str) -> Iterator[_Remark]:
    """Yield the words of self-harm and of threats that are the writer's own."""
    letters = letters_only(text, 0, len(text))
    for pattern in (_SELF_HARM, _THREAT):
        for found in pattern.finditer(letters.text):
            before = letters.text[max(0, found.start() - 8) : found.start()]
            if _HARMLESS_BEFORE.search(before) or _NOT_ONES_OWN.match(letters.text, found.end()):
                continue
            yield _Remark("complaint.crisis", *letters.place(*found.span()), 1.0)


def _clauses(text: str) -> Iterator[_Clause]:
    sworn = swearwords(text)
    calm = text
    for word in sworn:
        calm = calm[: word.start] + " " * (word.end - word.start) + calm[word.end :]
    for piece in _CLAUSE.finditer(calm):
        start, end = piece.span()
        yield _Clause(
            letters=letters_only(calm, start, end),
            text=calm[start:end],
            start=start,
            question_mark="?" in calm[end : end + 2],
            swearwords=tuple(word for word in sworn if start <= word.start < end),
        )


def _extra(clause: _Clause, extra_words: tuple[str, ...]) -> _Remark | None:
    """Return the first of the policy's own words in the clause."""
    for word in extra_words:
        sought = letters_only(word, 0, len(word)).text
        at = clause.letters.text.find(sought)
        if sought and at >= 0:
            return _venting(clause, at, at + len(sought), 0.9)
    return None


def _complaint(clause: _Clause, extra_words: tuple[str, ...]) -> _Remark | None:
    """Return what the clause complains of, if that is what it does."""
    extra = _extra(clause, extra_words)
    if extra or not clause.letters.text or _ENDING_LIKE_NOUN.search(clause.text):
        return extra
    sworn = bool(clause.swearwords)
    calm = _without_emphasis(clause)
    for reading in (clause, calm) if calm.text != clause.text else (clause,):
        letters = reading.letters.text
        if not letters or len(letters) > LONGEST_COMPLAINT_LETTERS:
            continue
        core = (
            core_of(letters, sworn=sworn)
            or _several_cores(reading, sworn=sworn)
            or reproach(letters, _word_starts(reading))
        )
        if core:
            return _venting(reading, core.start, core.end, core.score)
    return None


def _word_starts(clause: _Clause) -> frozenset[int]:
    """Return where words begin among the clause's letters."""
    places = clause.letters.places
    return frozenset(
        at for at, (start, _) in enumerate(places) if at == 0 or places[at - 1][1] < start
    )


def _without_emphasis(clause: _Clause) -> _Clause:
    """Return the clause without the adverbs that may stand between any two of its words."""
    text = _EMPHASIS.sub(lambda found: " " * len(found[0]), clause.text)
    plain = letters_only(text, 0, len(text))
    places = tuple((start + clause.start, end + clause.start) for start, end in plain.places)
    return replace(clause, text=text, letters=Letters(plain.text, places))


def _several_cores(clause: _Clause, *, sworn: bool) -> Core | None:
    """Return complaints that follow one another without a mark as one."""
    letters = clause.letters.text
    if len(letters) > LONGEST_SERIES_LETTERS:
        return None
    ends_of_words = [space.start() for space in _SPACE.finditer(clause.text)] + [len(clause.text)]
    reached = [0]
    for end_of_word in ends_of_words:
        end = len(letters_only(clause.text, 0, end_of_word).text)
        if any(core_of(letters[start:end], sworn=sworn) for start in reached):
            reached.append(end)
    return Core(0, len(letters), SURE_BY_CONTEXT) if reached[-1] == len(letters) else None


def _venting(clause: _Clause, start: int, end: int, score: float) -> _Remark:
    return _Remark("complaint.venting", *clause.letters.place(start, end), score)


def _is_aimed_at_us(clause: _Clause) -> bool:
    """Tell whether the swear words mean the bot: by address, or because nobody else is named."""
    letters = clause.letters.text
    if any(word.calls for word in clause.swearwords):
        return True
    if OTHERS.search(letters):
        return False
    addresses = any(word.addresses for word in clause.swearwords)
    return (
        addresses
        or _ADDRESSED.search(clause.text) is not None
        or is_filler(_WHAT_IS_DONE_WITH_IT.sub("", letters))
        or names_nothing_else(letters, _word_starts(clause))
    )


def _swearing(word: Swearword, code: str, score: float) -> _Remark:
    return _Remark(code, word.start, word.end, score)


def _tells_something_else(clause: _Clause, complaint: _Remark | None) -> bool:
    """Tell whether a clause names a matter beside the talk that bare displeasure may be about."""
    if complaint or clause.swearwords or _ADDRESSED.search(clause.text):
        return False
    return not is_filler(clause.letters.text) and not speaks_of_asking(clause.letters.text)


def _asks(clause: _Clause, complaint: _Remark | None) -> bool:
    """Tell whether the clause asks for information besides what it complains of."""
    if complaint:
        before = letters_only(clause.text, 0, complaint.start - clause.start)
        inside = letters_only(clause.text, 0, complaint.end - clause.start)
        return bool(_REQUEST_IN_FRONT.search(before.text) or _REQUEST_INSIDE.search(inside.text))
    letters = clause.letters.text
    scolds = "왜" in letters and any(word.calls or word.addresses for word in clause.swearwords)
    if scolds or is_filler(letters):
        return False
    return clause.question_mark or _REQUEST.search(letters) is not None
