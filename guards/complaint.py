"""Complaints about the bot or its answers, abuse of it, and words of crisis.

Finds: constructions of displeasure: insults, rhetorical doubt and questions, sarcasm,
    polite disappointment, mockery, sighs, dialects, threats to leave or to report, dismissal and
    mixed English. Some can only mean the bot, its answer or the service, whatever else is named;
    the others count where nothing and nobody else is named. Swear words turned on the bot, also
    broken up, drawn out, cut down, masked or typed with the keyboard set to Latin (``시♡발``,
    ``ㅅㅂ``, ``씨이발``, ``씨X``, ``tlqkf``); orders to go or to be silent (``멍청한 봇아 꺼져``,
    not ``불이 꺼져``); and words of self-harm or of a threat. The gravest comes first. If no
    construction matches, a model fitted on messages by many authors decides over the whole message:
    it recognises bad experiences that are described without a question. If the message also asks
    for information, complaint and abuse are only a weak note on its tone.
Misses: irony in words that no complaint of the fitted messages used, abuse of third parties (left
    alone on purpose), and complaints in messages over 1,000 characters.
Score: 1.0 for crisis and abuse; 0.9 for a complaint that can only mean the bot, its answer or the
    service; 0.8 for displeasure that names nothing; the likelihood if the model decides; 0.5 for
    the tone of a question.
Source: our own observation of Korean; the weights that ``make fit`` computes from the messages in
    ``tests/quality/sets`` (``complaint_weights.txt``); the tables ``complaints_of_the_talk.txt``,
    ``complaints_unnamed.txt``, ``complaint_limits.txt``, ``complaint_words.txt``,
    ``respellings.txt`` and ``swearwords.txt`` in ``guards/lexicons``.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.complaints.clauses import SURE, SURE_BY_CONTEXT, Clause, clauses
from guards.complaints.swearing import Swearword, swearwords
from guards.complaints.words import plainly_spelled
from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Code, Guard, GuardSettings, Label, Stage, Subject
from guards.core.reading import Reading
from guards.korean.morphemes import morphemes
from guards.text.hangul import Letters, letters_only, listed_phrases

WEIGHTS = Path(__file__).parent / "lexicons" / "complaint_weights.txt"
BIAS = "bias"
COMPLAINS_FROM = "complains_from"
"""The name of the fitted likelihood from which on a message is taken for a complaint."""
_SIZES = (2, 3)
# Whether somebody ends what he types with a full stop tells nothing of what he means.
_MARKS = re.compile(r"[.,!~…]+")
_BLANKS = re.compile(r"\s+")
_LENGTH_CHARS, _LONGEST = 40, 3
_MOST_SWEARWORDS = 2


def signs(message: str, sworn: Sequence[Swearword]) -> Mapping[str, float]:
    """Return the pieces of a plainly spelled message, each with how much there is of it.

    Args:
        message: The message.
        sworn: Its swear words.
    """
    text = _MARKS.sub(" ", message.lower()).strip()
    found = dict.fromkeys(_pieces(text), 1.0)
    return found | {
        "swearwords": float(min(len(sworn), _MOST_SWEARWORDS)),
        "swears at you": float(any(word.addresses for word in sworn)),
        "calls names": float(any(word.calls for word in sworn)),
        "ends with ?": float(text.endswith("?")),
        "length": min(len(text) / _LENGTH_CHARS, _LONGEST),
    }


def _pieces(text: str) -> Iterator[str]:
    forms = ["^", *(one.form for one in morphemes(text)), "$"]
    yield from (f"m {form}" for form in forms)
    yield from (f"m {one} {other}" for one, other in pairwise(forms))
    written = f"^{_BLANKS.sub('_', text)}$"
    for size in _SIZES:
        yield from (f"c {written[at : at + size]}" for at in range(len(written) - size + 1))


def likelihood(message: str, sworn: Sequence[Swearword]) -> float:
    """Return how likely a plainly spelled message only complains, from 0 to 1."""
    weights = _fitted()
    total = weights[BIAS] + sum(
        weights.get(sign, 0.0) * value for sign, value in signs(message, sworn).items()
    )
    return 1 / (1 + math.exp(-total))


def complains_from() -> float:
    """Return the likelihood from which on a message is taken for a complaint."""
    return _fitted()[COMPLAINS_FROM]


@cache
def _fitted() -> Mapping[str, float]:
    rows = WEIGHTS.read_text("utf-8").split("\n")
    pairs = (row.split("\t", 1) for row in rows if row and not row.startswith("#"))
    return {sign: float(weight) for weight, sign in pairs}


LONGEST_MESSAGE_CHARS = 1000
_SELF_HARM = re.compile(listed_phrases("crisis", "self-harm"))
_THREAT = re.compile(listed_phrases("crisis", "threat"))
_NOT_ONES_OWN = re.compile(listed_phrases("crisis", "not one's own"))
_HARMLESS_BEFORE = re.compile(listed_phrases("crisis", "harmless before"))
_CHARS_BEFORE_CRISIS = 8
_MESSAGE = re.compile(r"\S(?:.*\S)?", re.DOTALL)
_TONE = "complaint.with_question"
_QUOTED = re.compile(r"\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|「[^」\n]{1,100}」|『[^』\n]{1,100}』")


class ComplaintSettings(GuardSettings):
    """Options of the complaint guard."""

    extra_words: tuple[str, ...] = Field(
        (), description="Plain words that make a message a complaint when it asks for nothing."
    )
    ignore_words: tuple[str, ...] = Field(
        (), description="Plain words that are overlooked, such as a product's name."
    )
    crisis: bool = Field(True, description="Whether words of self-harm or threat are reported.")


class _Remark(NamedTuple):
    """Something unkind: its code, its place in the joined text, and how sure we are."""

    code: str
    start: int
    end: int
    score: float


class Complaint(Guard[ComplaintSettings]):
    """Report complaints, abuse and crisis in the user's message."""

    id = "complaint"
    label = Label("Complaints and abuse", "불만·욕설")
    subject = Subject.QUESTION
    stages = frozenset({Stage.INPUT})
    settings_type = ComplaintSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "complaint.venting": Code(
            label=Label("The user is dissatisfied", "사용자가 불만을 나타냄"),
            meaning="The user is dissatisfied with the bot or its answer.",
        ),
        "complaint.abuse": Code(
            label=Label("The user is abusive", "사용자가 욕설을 함"),
            meaning="The user swears at the bot or insults it.",
        ),
        "complaint.crisis": Code(
            label=Label(
                "The user speaks of self-harm or threatens somebody", "사용자가 자해나 위협을 말함"
            ),
            meaning="The user speaks of self-harm or threatens somebody.",
        ),
        _TONE: Code(
            label=Label("A complaint beside a question", "질문과 함께 불만을 나타냄"),
            meaning="A complaint or a swear word beside a question.",
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Report what is said to the bot; strong only where nothing is asked of it."""
        spelled = plainly_spelled(reading.question.text.normal.text)
        text = self._blanked(spelled.text)
        remarks: list[_Remark] = []
        if self.settings.crisis:
            remarks += (_Remark("complaint.crisis", *place, 1.0) for place in _crises(text))
        if len(text) <= LONGEST_MESSAGE_CHARS:
            remarks += list(_unkind(list(clauses(text)))) or _likely(text)
            remarks += _extra(text, self.settings.extra_words)
        return [self._finding(reading, spelled, remark) for remark in remarks]

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


def _crises(message: str) -> Iterator[tuple[int, int]]:
    """Yield the places of words of self-harm and of threats that are the writer's own."""
    letters = letters_only(message, 0, len(message))
    for pattern in (_SELF_HARM, _THREAT):
        for found in pattern.finditer(letters.text):
            before = letters.text[max(0, found.start() - _CHARS_BEFORE_CRISIS) : found.start()]
            if not (
                _HARMLESS_BEFORE.search(before) or _NOT_ONES_OWN.match(letters.text, found.end())
            ):
                yield letters.place(*found.span())


def _unkind(said: list[Clause]) -> Iterator[_Remark]:
    """Yield abuse and complaints; mere notes on the tone if the message asks for something."""
    questioning = any(clause.asks for clause in said)
    elsewhere = not questioning and any(
        clause.names_topic and not clause.grievance for clause in said
    )
    for clause in said:
        grievance = clause.grievance
        if grievance and elsewhere and grievance.score <= SURE_BY_CONTEXT:
            grievance = None
        for word in clause.swearwords:
            if questioning:
                yield _Remark(_TONE, word.start, word.end, 0.5)
            elif grievance or clause.swears_at_us():
                yield _Remark("complaint.abuse", word.start, word.end, 1.0)
        if grievance and not questioning:
            yield _Remark("complaint.venting", grievance.start, grievance.end, grievance.score)
        elif grievance and not grievance.is_sigh:
            yield _Remark(_TONE, grievance.start, grievance.end, 0.5)


def _likely(text: str) -> Iterator[_Remark]:
    """Yield a message without any known construction that is a complaint as a whole."""
    message = _MESSAGE.search(text)
    if message is None:
        return
    likely = likelihood(message[0], swearwords(message[0]))
    if likely >= complains_from():
        yield _Remark("complaint.venting", *message.span(), round(likely, 3))


def _extra(text: str, extra_words: tuple[str, ...]) -> Iterator[_Remark]:
    """Yield the policy's own words."""
    letters = letters_only(text, 0, len(text))
    for word in extra_words:
        sought = letters_only(word, 0, len(word)).text
        at = letters.text.find(sought)
        if sought and at >= 0:
            yield _Remark("complaint.venting", *letters.place(at, at + len(sought)), SURE)
