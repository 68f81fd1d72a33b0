"""Complaints about the bot or its answers, abuse of it, and words of crisis.

Finds: sentences whose predicate shows dissatisfaction with the bot or its answer (ignorance,
    repetition, evasion, uselessness, mockery, orders to stop), swear words turned on the bot, also
    broken up or drawn out (``시♡발``, ``ㅅㅂ``, ``씨이발``), and words of self-harm or of a threat. Where the
    message also asks for information, complaint and abuse are only a weak note on its tone.
Misses: irony, complaints without a predicate of complaint, swear words in Latin letters, abuse of
    third parties (left alone on purpose), and complaints in messages over 1,000 characters.
Score: 1.0 for crisis and abuse; 0.9 for a complaint that only a talk partner can be meant by; 0.8
    for a message that holds a bare expression of displeasure and nothing else; 0.5 for the tone of
    a question.
Source: our own observation of Korean endings, forms of address and rhetorical questions; word
    lists in ``guards/lexicons``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field

from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Code, Guard, GuardSettings, Stage
from guards.core.reading import Reading
from guards.lexicons import address, complaints, crisis, profanity
from guards.lexicons.phrases import phrases, words
from guards.text.hangul import Letters, joined, letters_only

LONGEST_MESSAGE_CHARS = 1000
LONGEST_COMPLAINT_LETTERS = 60

_QUOTED = re.compile(r"\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|「[^」\n]{1,100}」|『[^』\n]{1,100}』")
_CLAUSE = re.compile(r"[^.?!,;~…\n]+")
_CLAUSE_END = re.compile(r"[.?!,;~…\n]")
_SWEARING = re.compile(f"{profanity.PROFANITY}|(?P<order>{profanity.ORDERS})")
_SEPARATOR = re.compile(r"[^가-힣ㄱ-ㅎ]")
_SPACE = re.compile(r"\s+")
_SYLLABLE = re.compile(r"[가-힣]")
_MENTIONED = re.compile(profanity.MENTIONED)
_SECOND_PERSON_END = re.compile(r"(?:[아야냐니]|들아)$")
_SELF_HARM = re.compile(phrases(crisis.SELF_HARM, crisis.GROUPS))
_THREAT = re.compile(phrases(crisis.THREAT, crisis.GROUPS))
_NOT_ONES_OWN = re.compile(crisis.NOT_ONES_OWN)
_HARMLESS_BEFORE = re.compile(crisis.HARMLESS_BEFORE)
_ANY_SUBJECT = re.compile(f"(?:{phrases(complaints.ANY_SUBJECT, complaints.GROUPS)})$")
_BARE = re.compile(phrases(complaints.BARE, complaints.GROUPS))
_WITH_SIGH = re.compile(phrases(complaints.WITH_SIGH, complaints.GROUPS))
_WITH_ADDRESSEE = re.compile(phrases(complaints.WITH_ADDRESSEE, complaints.GROUPS))
_SIGH = re.compile(words(address.SIGHS))
_ADVERB = re.compile(words(address.ADVERBS + address.POINTERS))
_NAMED = words(address.YOU + " " + address.BOT + " " + address.ANSWER)
_ADDRESSEE = re.compile(_NAMED)
_ADDRESSEE_AND_PARTICLE = re.compile(_NAMED + words(address.PARTICLES))
_FILLERS = (_SIGH, _ADVERB, _ADDRESSEE, _ADDRESSEE_AND_PARTICLE)
_FILLER_TO_END = re.compile(f"(?:{'|'.join(filler.pattern for filler in _FILLERS)})$")
_AFTERTHOUGHT = re.compile(
    f"(?:{words(address.AFTERTHOUGHTS)}|(?:이|이런|이딴|야)?{_NAMED}{words(address.PARTICLES)}?)$"
)
_ADDRESSED = re.compile(
    f"(?<![가-힣a-z]){words(address.YOU + ' ' + address.BOT)}{words(address.PARTICLES)}?(?![가-힣a-z])",
    re.IGNORECASE,
)
_THIRD_PERSON = re.compile(words(address.THIRD_PERSON))
_REQUEST = re.compile(
    f"{words(address.QUESTION_WORDS + ' ' + address.REQUESTS)}|{words(address.ASKING_ENDINGS)}$"
)
_REQUEST_IN_FRONT = re.compile(words(address.REQUESTS_IN_FRONT))
LONGEST_AFTERTHOUGHT_LETTERS = 8


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
class _Swearword:
    """A swear word: its place in the joined text, and whether its own form addresses somebody."""

    start: int
    end: int
    addresses: bool


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
    swearwords: tuple[_Swearword, ...]


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Where a sentence's core may begin, and whether a sigh or the bot's name stands before."""

    at: int
    sigh: bool
    addressed: bool


@dataclass(frozen=True, slots=True)
class _Remark:
    """Something unkind: its code, its place in the joined text, and how sure we are."""

    code: str
    start: int
    end: int
    score: float


class Complaint(Guard[ComplaintSettings]):
    """Report complaints, abuse and crisis in the user's message."""

    id = "complaint"
    stages = frozenset({Stage.INPUT})
    settings_type = ComplaintSettings
    codes = {
        "complaint.venting": Code("The user is dissatisfied with the bot or its answer."),
        "complaint.abuse": Code("The user swears at the bot or insults it."),
        "complaint.crisis": Code("The user speaks of self-harm or threatens somebody."),
        "complaint.with_question": Code("A complaint or a swear word beside a question."),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Report what is said to the bot; strong only where nothing is asked of it."""
        spelled = joined(reading.question.text.normal.text)
        text = self._blanked(spelled.text)
        remarks = list(_crises(text)) if self.settings.crisis else []
        if len(text) > LONGEST_MESSAGE_CHARS:
            return [self._finding(reading, spelled, remark) for remark in remarks]
        clauses = list(_clauses(text))
        unkind: list[_Remark] = []
        asks = False
        for clause in clauses:
            found = list(_remarks(clause, self.settings.extra_words))
            unkind += found
            asks = asks or _asks(clause, found)
        if asks:
            unkind = [_Remark("complaint.with_question", r.start, r.end, 0.5) for r in unkind]
        return [self._finding(reading, spelled, remark) for remark in remarks + unkind]

    def _blanked(self, text: str) -> str:
        """Return the text with quoted pieces and ignored words overwritten by spaces."""
        for pattern in (_QUOTED, *(re.compile(re.escape(w)) for w in self.settings.ignore_words)):
            text = pattern.sub(lambda found: " " * len(found[0]), text)
        return text

    def _finding(self, reading: Reading, spelled: Letters, remark: _Remark) -> Finding:
        normal = reading.question.text.normal
        start, end = normal.to_raw(*spelled.place(remark.start, remark.end))
        weak = remark.code == "complaint.with_question"
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
    swearwords = list(_swearwords(text))
    calm = text
    for word in swearwords:
        calm = calm[: word.start] + " " * (word.end - word.start) + calm[word.end :]
    for piece in _CLAUSE.finditer(calm):
        start, end = piece.span()
        yield _Clause(
            letters=letters_only(calm, start, end),
            text=calm[start:end],
            start=start,
            question_mark="?" in calm[end : end + 2],
            swearwords=tuple(word for word in swearwords if start <= word.start < end),
        )


def _swearwords(text: str) -> Iterator[_Swearword]:
    """Yield the swear words that are used, not mentioned, in their order."""
    for found in _SWEARING.finditer(text):
        start, end = found.span()
        if _MENTIONED.match(text, end) or _joins_two_words(text, start, end):
            continue
        order = found["order"] is not None
        if order and not _opens_clause(text, start):
            continue
        yield _Swearword(start, end, order or bool(_SECOND_PERSON_END.search(found[0])))


def _joins_two_words(text: str, start: int, end: int) -> bool:
    """Tell whether a broken-up match is made of the end of one word and the beginning of another."""
    broken_up = _SEPARATOR.search(text, start, end) is not None
    return broken_up and bool(_SYLLABLE.match(text, end) or _SYLLABLE.match(text, max(0, start - 1)) and start)


def _opens_clause(text: str, position: int) -> bool:
    before = _CLAUSE_END.split(text[:position])[-1]
    return _is_filler(letters_only(before, 0, len(before)).text)


def _remarks(clause: _Clause, extra_words: tuple[str, ...]) -> list[_Remark]:
    complaint = _extra(clause, extra_words) or _complaint(clause)
    remarks = [complaint] if complaint else []
    if complaint or _is_aimed_at_us(clause):
        remarks += [_Remark("complaint.abuse", w.start, w.end, 1.0) for w in clause.swearwords]
    return remarks


def _extra(clause: _Clause, extra_words: tuple[str, ...]) -> _Remark | None:
    """Return the first of the policy's own words in the clause."""
    for word in extra_words:
        sought = letters_only(word, 0, len(word)).text
        at = clause.letters.text.find(sought)
        if sought and at >= 0:
            return _venting(clause, at, at + len(sought), 0.9)
    return None


def _complaint(clause: _Clause) -> _Remark | None:
    """Return the clause's core if its predicate is one of complaint."""
    letters = clause.letters.text
    if not letters or len(letters) > LONGEST_COMPLAINT_LETTERS:
        return None
    sworn = bool(clause.swearwords)
    core = _core(letters, sworn) or _two_cores(clause, sworn)
    return _venting(clause, *core) if core else None


def _core(letters: str, sworn: bool) -> tuple[int, int, float] | None:
    return _core_beyond_doubt(letters) or _bare_core(letters, sworn=sworn)


def _two_cores(clause: _Clause, sworn: bool) -> tuple[int, int, float] | None:
    """Return the place of two complaints with no mark between them."""
    letters = clause.letters.text
    for space in _SPACE.finditer(clause.text.strip()):
        middle = len(letters_only(clause.text.strip(), 0, space.start()).text)
        if _core(letters[:middle], sworn) and _core(letters[middle:], sworn):
            return 0, len(letters), 0.8
    return None


def _venting(clause: _Clause, start: int, end: int, score: float) -> _Remark:
    return _Remark("complaint.venting", *clause.letters.place(start, end), score)


def _core_beyond_doubt(letters: str) -> tuple[int, int, float] | None:
    """Return the place of what is only ever said to a talk partner, whatever stands before."""
    for end in _ends(letters):
        found = _ANY_SUBJECT.search(letters, 0, end)
        if found and not _THIRD_PERSON.search(letters, 0, found.start()):
            return *found.span(), 0.9
    return None


def _bare_core(letters: str, *, sworn: bool) -> tuple[int, int, float] | None:
    """Return the place of a displeased predicate with nothing around it but sighs and address."""
    for begin in _beginnings(letters):
        for end in _ends(letters):
            behind = letters[end:]
            if _is_displeased(
                letters,
                begin.at,
                end,
                sigh=sworn or begin.sigh or bool(_SIGH.match(behind)),
                addressed=begin.addressed or bool(_ADDRESSEE.search(behind)),
            ):
                return begin.at, end, 0.8
    return None


def _is_displeased(letters: str, start: int, end: int, *, sigh: bool, addressed: bool) -> bool:
    return bool(
        _BARE.fullmatch(letters, start, end)
        or (sigh and _WITH_SIGH.fullmatch(letters, start, end))
        or (addressed and _WITH_ADDRESSEE.fullmatch(letters, start, end))
    )


def _beginnings(letters: str) -> Iterator[_Beginning]:
    """Yield where the core may begin once sighs, adverbs and words for the bot are taken off."""
    waiting = [_Beginning(0, sigh=False, addressed=False)]
    seen = set(waiting)
    while waiting:
        begin = waiting.pop(0)
        if begin.at >= len(letters):
            continue
        yield begin
        for pattern in _FILLERS:
            found = pattern.match(letters, begin.at)
            if not found:
                continue
            further = _Beginning(
                found.end(),
                sigh=begin.sigh or pattern is _SIGH,
                addressed=begin.addressed or pattern in (_ADDRESSEE, _ADDRESSEE_AND_PARTICLE),
            )
            if further not in seen:
                seen.add(further)
                waiting.append(further)


def _ends(letters: str) -> Iterator[int]:
    """Yield where the core may end, the whole first."""
    end = len(letters)
    while end > 0:
        yield end
        found = _AFTERTHOUGHT.search(letters, max(0, end - LONGEST_AFTERTHOUGHT_LETTERS), end)
        if not found:
            return
        end = found.start()


def _is_filler(letters: str) -> bool:
    """Tell whether nothing is left once sighs, adverbs and words for the bot are taken off."""
    return not letters or any(_FILLER_TO_END.match(letters, begin.at) for begin in _beginnings(letters))


def _is_aimed_at_us(clause: _Clause) -> bool:
    """Tell whether the swear words mean the bot: by address, or because nobody else is named."""
    if _THIRD_PERSON.search(clause.letters.text):
        return False
    addresses = any(word.addresses for word in clause.swearwords)
    return addresses or bool(_ADDRESSED.search(clause.text)) or _is_filler(clause.letters.text)


def _asks(clause: _Clause, found: list[_Remark]) -> bool:
    """Tell whether the clause asks for information besides what it complains of."""
    letters = clause.letters.text
    venting = [remark for remark in found if remark.code == "complaint.venting"]
    if venting:
        before = letters_only(clause.text, 0, venting[0].start - clause.start).text
        return bool(_REQUEST_IN_FRONT.search(before))
    if _is_filler(letters):
        return False
    return clause.question_mark or bool(_REQUEST.search(letters))
