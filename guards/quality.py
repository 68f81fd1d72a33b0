"""Answers that are broken as texts: garbled, looping, empty, unfilled or cut off.

Finds: lost and control characters, misread encodings (``ì•ˆë…•``, ``占쏙옙``), jamo that make no
    syllable; sentences, words and characters in a loop; control tokens of chat formats;
    placeholders and template markers; long answers that stop in mid-sentence (weak).
Misses: loops whose rounds differ, words that are merely misspelt, a cut right after a whole
    sentence, `<think>` blocks (apps show them). What stands so in question or sources is weak.
Score: 1.0; 0.8 for scattered repetition; 0.5 for an answer cut off.
Source: own rules; encodings are proved by reading them back.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, Text
from guards.text.broken_text import broken_places
from guards.text.leftovers import edges, is_placeholder, placeholders, special_tokens
from guards.text.loops import character_loops, comes_back, item_loops
from guards.text.sentences import Sentence
from guards.text.unfinished import is_cut_off

_MOST_SENTENCES_IN_PERIOD, _MOST_WORDS_IN_PERIOD = 8, 10
_WORD_TIMES = 5
_LEAST_LOOP_CHARS = 20
_LEAST_LETTERS = 5
_TELLING_CHARS = 20
_MARKER = re.compile(r"^(?:[-*•·○>#]+\s+|(?:\d{1,3}|[가-하])[.)]\s+|[①-⑳]\s*)+")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"\S+")

Place = tuple[int, int]


class QualitySettings(GuardSettings):
    """Options of the guard."""

    sentence_times: int = Field(
        3, ge=2, le=20, description="How often a sentence stands in a row before it is a loop."
    )


class Quality(Guard[QualitySettings]):
    """Report what no reader could use."""

    id = "quality"
    label = Label("Complete text", "글의 완결성")
    subject = Subject.FORM
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = QualitySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "quality.broken_characters": Code(
            label=Label("Broken characters", "깨진 글자"),
            meaning="Characters of the answer are lost, misread or no text at all.",
            message="글이 온전하지 않습니다",
            instruction="깨진 글자가 있습니다. 모든 글자를 온전한 한글로 다시 쓰세요.",
        ),
        "quality.repetition": Code(
            label=Label("Repeats itself", "같은 말을 되풀이함"),
            meaning="The answer repeats itself in a loop.",
            message="글이 온전하지 않습니다",
            instruction='"{observed}"{observed:이} 되풀이됩니다. 같은 말은 한 번만 쓰세요.',
        ),
        "quality.special_token": Code(
            label=Label("A control token of the model", "모델의 제어 토큰"),
            meaning="A control token of the model stands in the answer.",
            message="글이 온전하지 않습니다",
            instruction='"{observed}" 같은 제어 토큰을 쓰지 말고 답변만 쓰세요.',
        ),
        "quality.placeholder": Code(
            label=Label("Empty, or a placeholder", "비었거나 채우지 않은 자리"),
            meaning="The answer is empty, or a placeholder stands where its content should.",
            message="글이 온전하지 않습니다",
            instruction="빈칸이나 자리 표시 없이 실제 내용으로 완성된 답변을 쓰세요.",
        ),
        "quality.cut_off": Code(
            label=Label("Breaks off in the middle", "문장이 중간에 끊김"),
            meaning="The answer stops in the middle of a sentence.",
            message="글이 온전하지 않습니다",
            instruction="답변이 중간에 끊기지 않도록 더 짧게, 끝까지 쓰세요.",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to look at; without words, a model that may still fetch has only asked a tool."""
        if reading.answer is None:
            return "no_answer"
        is_empty = not reading.answer.text.raw.strip()
        return "empty_answer" if is_empty and reading.exchange.may_fetch else None

    def check(self, reading: Reading) -> list[Finding]:
        """Look for each kind of damage, one after the other."""
        if reading.answer is None:
            return []
        text = reading.answer.text
        answer, sentences = text.raw, text.sentences
        found = list(self._strong(text))
        known = _known_text(reading) if found else ""
        findings = [_weak(one) if one.observed and one.observed in known else one for one in found]
        if is_cut_off(answer, sentences):
            last = sentences[-1]
            cut = _finding("cut_off", (last.start, last.end), answer, score=0.5)
            findings.append(_weak(cut))
        return findings

    def _strong(self, text: Text) -> Iterator[Finding]:
        answer = text.raw
        if is_placeholder(answer):
            whole = _finding("placeholder", (0, len(answer)), answer)
            yield replace(whole, provisional=True)
            return
        prose = text.prose
        for start, end, meant in broken_places(answer):
            yield _finding("broken_characters", (start, end), answer, fix=meant)
        yield from self._repeated(answer, prose, text.sentences)
        yield from _tokens(answer, prose)
        for place in placeholders(prose):
            yield _finding("placeholder", place, answer)

    def _repeated(
        self, answer: str, prose: str, sentences: Sequence[Sentence]
    ) -> Iterator[Finding]:
        """Yield each loop once: of whole sentences, else of words, else of characters."""
        taken: list[Place] = []
        told = [_comparable(prose, sentence) for sentence in sentences]
        for place, is_whole in self._loops(prose, sentences, told):
            if all(place[1] <= start or end <= place[0] for start, end in taken):
                taken.append(place)
                yield _finding("repetition", place, answer, fix="" if is_whole else None)
        if not taken and (scattered := _scattered(sentences, told, self.settings.sentence_times)):
            much = _finding("repetition", scattered, answer, score=0.8)
            # Of a longer answer it may be little.
            yield replace(much, provisional=True)

    def _loops(
        self, prose: str, sentences: Sequence[Sentence], told: Sequence[str]
    ) -> Iterator[tuple[Place, bool]]:
        """Yield what stands there once too often, and whether that is whole sentences."""
        for start, again, end in item_loops(
            told, _MOST_SENTENCES_IN_PERIOD, self.settings.sentence_times
        ):
            if len(_LETTER.findall("".join(told[start:again]))) >= _LEAST_LETTERS:
                yield (sentences[again - 1].end, sentences[end - 1].end), True
        prose = _without_tables(prose)
        words = list(_WORD.finditer(prose)) if comes_back(prose.split(), _WORD_TIMES) else []
        for start, again, end in item_loops(
            [word[0] for word in words], _MOST_WORDS_IN_PERIOD, _WORD_TIMES
        ):
            place = words[again - 1].end(), words[end - 1].end()
            is_long = place[1] - words[start].start() >= _LEAST_LOOP_CHARS
            if is_long and _LETTER.search(prose, words[start].start(), place[0]):
                yield place, False
        for _, again, end in character_loops(prose):
            yield (again, end), False


def _without_tables(prose: str) -> str:
    """Return a text of the same length without the rows of tables."""
    lines = prose.split("\n")
    return "\n".join(" " * len(line) if line.count("|") > 1 else line for line in lines)


def _comparable(prose: str, sentence: Sentence) -> str:
    """Return a sentence as it is compared; rows of tables are all different."""
    text = prose[sentence.start : sentence.end]
    if "|" in text:
        return f"|{sentence.start}"
    return " ".join(_MARKER.sub("", text).split())


def _scattered(sentences: Sequence[Sentence], told: Sequence[str], times: int) -> Place | None:
    """Return the last place of a sentence that, again and again, makes up half of an answer."""
    counts = Counter(text for text in told if len(text) >= _TELLING_CHARS)
    if not counts:
        return None
    [(text, count)] = counts.most_common(1)
    if count < times or count * 2 < len(told):
        return None
    last = sentences[len(told) - 1 - told[::-1].index(text)]
    return last.start, last.end


def _tokens(answer: str, prose: str) -> Iterator[Finding]:
    """Yield control tokens; those at either edge can be taken out with the space around them."""
    places = special_tokens(prose)
    if not places:
        return
    start, end = edges(prose)
    body = answer[start:end]
    start += len(body) - len(body.lstrip())
    end -= len(body) - len(body.rstrip())
    inside = [place for place in places if start <= place[0] and place[1] <= end]
    if body.strip() and places[0][0] < start:
        yield _finding("special_token", (0, start), answer, fix="")
    for place in inside if body.strip() else places:
        yield _finding("special_token", place, answer)
    if body.strip() and places[-1][1] > end:
        yield _finding("special_token", (end, len(answer)), answer, fix="")


def _known_text(reading: Reading) -> str:
    """Return what the model was given; what stands there may be repeated, if not gladly."""
    exchange = reading.exchange
    return "\n".join((exchange.question, exchange.echo, *(one.text for one in exchange.sources)))


def _finding(
    kind: str, place: Place, answer: str, *, fix: str | None = None, score: float = 1.0
) -> Finding:
    return Finding(
        guard=Quality.id,
        code=f"{Quality.id}.{kind}",
        part="answer",
        span=Span(*place),
        observed=answer[slice(*place)],
        score=score,
        fix=fix,
    )


def _weak(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.WEAK, strength=Strength.E1)
