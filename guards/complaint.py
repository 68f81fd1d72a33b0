"""Complaints about the bot or its answers, abuse, and words of crisis.

Finds: patterns of displeasure: insults, rhetorical doubt and questions, sarcasm, polite
    disappointment, mockery, sighs, dialects, threats to leave or to report, dismissal and mixed
    English. Some can only be about the bot, its answer or the service, whatever else is named; the
    others count if nothing and nobody else is named. Swear words aimed at the bot, also split,
    stretched, shortened, masked or typed with a Latin keyboard layout (``시♡발``, ``ㅅㅂ``,
    ``씨이발``, ``씨X``, ``tlqkf``); orders to go away or be silent (``멍청한 봇아 꺼져``, not
    ``불이 꺼져``); words of self-harm or of a threat. If several apply, the gravest is reported. A
    model fitted on messages by many authors decides whether the whole message only complains; the
    patterns are features of that model beside the words, so that it also recognises a bad
    experience that is described without a question. If the message asks for something, a complaint
    or abuse in it is only noted (weak).
Misses: irony in words that no complaint of the training messages used; abuse of third parties (on
    purpose); complaints in messages over 1,000 characters.
Score: 1.0 for crisis, abuse and the policy's own words; for a complaint the probability that the
    message only complains; 0.5 for a complaint beside a question.
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

from guards.complaints.clauses import Clause, clauses
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
_MOST_GRIEVANCES = 3
_MOST_SWEARWORDS = 2


def signs(message: str, said: Sequence[Clause]) -> Mapping[str, float]:
    """Return what a plainly spelled message has of which sign.

    Args:
        message: The message.
        said: Its clauses.
    """
    text = _MARKS.sub(" ", message.lower()).strip()
    found = {*_pieces(text), *(f"k {kind}" for clause in said for kind in clause.kinds)}
    grievances = [clause.grievance for clause in said if clause.grievance]
    sworn = [word for clause in said for word in clause.swearwords]
    asks = any(clause.asks for clause in said)
    return dict.fromkeys(found, 1.0) | {
        "asks": float(asks),
        "asks at its end": float(any(clause.asks for clause in said[-1:])),
        "sure": float(any(one.is_sure for one in grievances)),
        "displeased": float(any(not (one.is_sure or one.is_sigh) for one in grievances)),
        "sighs": float(any(one.is_sigh for one in grievances)),
        "grievances": float(min(len(grievances), _MOST_GRIEVANCES)),
        "aggrieved, asks nothing": float(bool(grievances) and not asks),
        "swearwords": float(min(len(sworn), _MOST_SWEARWORDS)),
        "swears at us": float(any(one.swearwords and one.swears_at_us() for one in said)),
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


def likelihood(message: str, said: Sequence[Clause]) -> float:
    """Return how likely a plainly spelled message only complains, from 0 to 1.

    It weighs three readings against each other: a complaint, a question or small talk, and a
    complaint that carries a question.
    """
    weights = _model_weights()
    question, mixed = weights[BIAS]
    for sign, value in signs(message, said).items():
        if sign in weights:
            question += weights[sign][0] * value
            mixed += weights[sign][1] * value
    return 1 / (1 + math.exp(question) + math.exp(mixed))


@cache
def _model_weights() -> Mapping[str, tuple[float, ...]]:
    """Return for each sign how much it speaks for a question and for a question in a complaint."""
    rows = WEIGHTS.read_text("utf-8").split("\n")
    parts = (row.split("\t", 2) for row in rows if row and not row.startswith("#"))
    return {sign: tuple(map(float, weights)) for *weights, sign in parts}


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
        (), description="Plain words that make a message a complaint if it asks for nothing."
    )
    ignore_words: tuple[str, ...] = Field(
        (), description="Plain words that are ignored, such as a product's name."
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
            remarks += _unkind(text, list(clauses(text)))
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


def _unkind(text: str, said: list[Clause]) -> list[_Remark]:
    """Return abuse and complaints; mere notes on the tone unless the message only complains."""
    message = _MESSAGE.search(text)
    if message is None:
        return []
    likely = likelihood(message[0], said)
    grievances = [clause.grievance for clause in said if clause.grievance]
    if likely >= _model_weights()[COMPLAINS_FROM][0]:
        score = round(likely, 3)
        aimed = [clause for clause in said if clause.grievance or clause.swears_at_us()]
        sworn = [word for clause in aimed for word in clause.swearwords]
        found = [_Remark("complaint.abuse", word.start, word.end, 1.0) for word in sworn]
        found += (_Remark("complaint.venting", one.start, one.end, score) for one in grievances)
        return found or [_Remark("complaint.venting", *message.span(), score)]
    if not any(clause.asks for clause in said):
        return []
    places = [(one.start, one.end) for one in grievances if not one.is_sigh]
    places += ((word.start, word.end) for clause in said for word in clause.swearwords)
    return [_Remark(_TONE, *place, 0.5) for place in places]


def _extra(text: str, extra_words: tuple[str, ...]) -> Iterator[_Remark]:
    """Yield the policy's own words."""
    letters = letters_only(text, 0, len(text))
    for word in extra_words:
        sought = letters_only(word, 0, len(word)).text
        at = letters.text.find(sought)
        if sought and at >= 0:
            yield _Remark("complaint.venting", *letters.place(at, at + len(sought)), 1.0)
