"""The last resort before a template: the sources' own words, where they answer.

Every line of the sources is held against the question (`policies.answering`); the one that most
likely answers is quoted, if that is likelier than all else together. A sentence is quoted whole,
with the exception behind it and what it leans on before it; a cell or labelled value is told as a
sentence of its labels. Where two sources say it otherwise, both are quoted. A quote of the wrong
thing is worse than none.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from guards.core.exchange import Source
from guards.core.reading import Text, source_set
from guards.evidence.contradictions import leans_on_context
from guards.evidence.siblings import Siblings
from guards.evidence.values import values_of
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import section_words
from guards.text.editions import edition_of
from guards.text.particles import Noun
from policies.answering import Scored, scored
from policies.asked import Asked, read_asked
from policies.lines import HELD, Line, Said, days_in
from policies.schema.sections import Tone
from policies.templates import plain_line

LEAST_LIKELY, LEAST_LIKELY_LACKING = 0.5, 0.8
"""How likely a line has to be, and one whose source has nothing of a thing that is asked about."""
_MOST_SENTENCES = 3
_AS_LIKELY = 0.3
"""Share of the likeliest from which on another line may be meant as well."""
_MOST_COMPARED = 6
_SHARED = 0.6
_LONGEST_SENTENCE_CHARS = 300
_LONGEST_QUESTION_CHARS = 200
_VALUE = {
    Tone.FORMAL: "{subject}{particle} {value}입니다.",
    Tone.FRIENDLY: "{subject}{particle} {value}{copula}.",
}
"""Sentence patterns for a table cell or a labelled value."""
_EXCEPTION = re.compile(r"(?:다만|단)[,\s]")
# 퇴사한 다음 날 points at nothing outside its sentence.
_DAY_AFTER = re.compile(r"다음\s?(?=[날달주해]|학기|영업일)")
_LEANS = re.compile(r"(?:이때|이 경우|그 경우|이 기간|그 뒤|그 후|다만|단)[,\s에는]")
_CLOSED = re.compile(r"(?:다|요|음|(?<!포)함|됨|임)[.!]?[)\"”’]?$")
# 제16조(경조휴가) ①: the head of an article, not a reference to one. A. and 답변: of an answer.
_OPENING = re.compile(
    r"^(?:제\s?\d+\s?조(?:의\s?\d+)?\s*(?:[(（][^()（）]*[)）]\s*[①-⑳]?|[①-⑳])|[①-⑳]|A\d?[.:]|답변?[.:])\s*"
)
_BRACKET_AT_END = re.compile(r"\s*[(（][^()（）]*[)）]$")
_BRACKETED = re.compile(r"\s*[(（][^()（）]*[)）]")
# 가격표, 요금 안내.
_FORM_AT_END = re.compile(r"(?:표|\s안내)$")
_VALUE_NOUN = re.compile(rf"(?:{'|'.join(section_words('direct_answers', 'value_nouns'))})$")
_ENDS = frozenset({"까지", "부터"})
_SIGNS = re.compile(r"[+→×=|]|^[-–○×OX]$")
_DIGIT = re.compile(r"\d")
_TELLS_NOTHING = section_words("direct_answers", "no_names")


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """An answer in the sources' own words.

    Attributes:
        sentences: What is said: sentences of the sources, or what their rows and labels tell.
        source_ids: The source of each of them.
        quotes: The same for the user, each with the name of its source.
        verbatim: The sentence, or the row of a table, that each of them stands on.
    """

    sentences: tuple[str, ...]
    source_ids: tuple[str, ...]
    quotes: tuple[str, ...]
    verbatim: tuple[str, ...]


def direct_answer(
    question: str, sources: Sequence[Source], tone: Tone = Tone.FORMAL
) -> DirectAnswer | None:
    """Answer a question with lines of its sources, or not at all."""
    if len(question) > _LONGEST_QUESTION_CHARS:
        return None
    read = source_set(tuple(sources))
    asked = read_asked(question)
    chosen = _chosen(scored(asked, read), has_siblings=bool(read.once(Siblings)))
    told = [_told(line, asked, tone) for line in chosen]
    if not chosen or not all(told):
        return None
    return DirectAnswer(
        sentences=tuple(" ".join(one.sentences) for one in told if one),
        source_ids=tuple(line.source.id for line in chosen),
        quotes=tuple(
            _quote(line.source, one) for line, one in zip(chosen, told, strict=True) if one
        ),
        verbatim=tuple(line.raw for line in chosen),
    )


def _chosen(found: Sequence[Scored], *, has_siblings: bool) -> list[Line]:
    """Return the line to quote, and those of other sources that are meant as much."""
    if not found:
        return []
    best, *others = [
        one
        for one in found[:_MOST_COMPARED]
        if not any(_is_older(one.line, other.line) for other in found[:_MOST_COMPARED])
    ]
    likely, lines = best.likely, [best.line]
    for one in found[:_MOST_COMPARED]:
        if one is best or one.likely < _AS_LIKELY * best.likely:
            continue
        if one not in others or _is_same(best.line, one.line):
            likely += one.likely
        elif one.line.place != best.line.place and _says_as_much(best.line, one.line):
            likely += one.likely
            lines.append(one.line)
        else:
            return []
    if has_siblings and len(lines) > 1:
        return []
    too_long = any(len(one.text) > _LONGEST_SENTENCE_CHARS for one in lines)
    too_many = len(lines) > _MOST_SENTENCES
    least = LEAST_LIKELY_LACKING if best.lacks else LEAST_LIKELY
    return [] if too_long or too_many or likely < least else lines


def _is_same(one: Line, other: Line) -> bool:
    """Tell whether two lines say the same, or one is the exception behind the other."""
    follow = one.before is other or other.before is one
    is_exception = follow and any(_EXCEPTION.match(line.text) for line in (one, other))
    return is_exception or one.text == other.text


def _is_older(one: Line, other: Line) -> bool:
    ours, theirs = edition_of(one.source), edition_of(other.source)
    return ours.subject == theirs.subject and theirs.is_newer_than(ours)


def _says_as_much(one: Line, other: Line) -> bool:
    """Tell whether two lines differ in little more than their values."""
    ours, theirs = one.near.features, other.near.features
    return len(ours & theirs) >= _SHARED * max(len(ours), len(theirs))


@dataclass(frozen=True, slots=True)
class _Told:
    """What a line says for the user.

    Attributes:
        sentences: Its sentences.
        is_quote: Whether they stand there so.
    """

    sentences: Sequence[str]
    is_quote: bool


def _told(line: Line, asked: Asked, tone: Tone) -> _Told | None:
    """Return what a line says for the user; None if that would not be understood."""
    text = plain_line(_OPENING.sub("", line.text))
    if line.cells:
        return _of_row(line, asked, tone)
    label = plain_line(line.head).rstrip("?")
    names = bool(label) and not line.head.endswith("?") and label not in _TELLS_NOTHING
    behind = _behind(line)
    if _CLOSED.search(text):
        before = _leaned_on(line, text)
        if before is None:
            return None
        own = [f"{label}: {text}"] if names and not _says_it(text, asked) else [text]
        return _Told([*before, *own, *behind], is_quote=True)
    text = text.rstrip(" .,;:").replace(" / ", ", ")
    said = _value(label, text, tone) if names and asked.kinds else ""
    if said:
        return _Told([said, *behind], is_quote=False)
    lead = [plain_line(line.lead.text)] if line.lead and _CLOSED.search(line.lead.text) else []
    return _Told([*lead, f"{label}: {text}" if names else text, *behind], is_quote=True)


def _says_it(text: str, asked: Asked) -> bool:
    """Tell whether a sentence says of itself what it is about."""
    said = Said([text])
    things = [one for one in asked.words if one.role in {"thing", "number", "case"}]
    return all(said.grade(one) >= HELD for one in things)


def _leaned_on(line: Line, text: str) -> list[str] | None:
    """Return the sentence that one leans on; None if that stands elsewhere (다음 각 호)."""
    if _LEANS.match(text) or _EXCEPTION.match(text):
        before = line.before
        return [plain_line(_OPENING.sub("", before.text))] if before else None
    leans = leans_on_context(_DAY_AFTER.sub("", text))
    return None if leans and line.before is None else []


def _behind(line: Line) -> list[str]:
    """Return the exception that follows a line."""
    number = line.claims[0].sentence + 1
    sentences = line.reading.sentences
    if number >= len(sentences) or sentences[number][0].block.is_cell:
        return []
    text = plain_line(line.reading.text_of(sentences[number]))
    return [text] if _EXCEPTION.match(text) else []


def _of_row(line: Line, asked: Asked, tone: Tone) -> _Told | None:
    """Tell a row of a table: the cells that are asked for, or all of them."""
    names = [*takewhile(lambda one: not _is_value(one[1], asked), line.cells.items())]
    names = names[:-1] if len(names) == len(line.cells) else names
    names = names or list(line.cells.items())[:1]
    subject = " ".join(plain_line(text) for _, text in names)
    cells = dict(list(line.cells.items())[len(names) :])
    asked_cells = _asked_cells(cells, line.columns, asked)
    values = [(plain_line(line.columns.get(at, "")), plain_line(one)) for at, one in asked_cells]
    values = [(head, value.replace(" / ", ", ")) for head, value in values if value]
    if not values:
        return None
    if len(values) == 1:
        (head, value), *_ = values
        subject = f"{subject} {head}" if head and head not in subject else subject
        if not _VALUE_NOUN.search(_BRACKETED.sub("", subject)):
            subject = f"{subject} {_value_noun(line)}".strip()
        said = _value(subject, value, tone)
        return _Told([said or f"{subject}: {value}"], is_quote=not said)
    listed = ", ".join(f"{head} {value}".strip() for head, value in values)
    said = _value(subject, listed, tone)
    return _Told([said or f"{subject}: {listed}"], is_quote=not said)


def _value_noun(line: Line) -> str:
    """Return what the values of a table are called above it: 요금 of 객실 요금표."""
    above = [*(one.text for one in reversed(line.over)), line.source.title]
    titles = (_FORM_AT_END.sub("", plain_line(_BRACKETED.sub("", one))) for one in above)
    return next((found[0] for one in titles if (found := _VALUE_NOUN.search(one))), "")


def _is_value(text: str, asked: Asked) -> bool:
    kinds = {one.kind for one in values_of(Text(text))}
    return not kinds.isdisjoint(asked.kinds) if asked.kinds else bool(_DIGIT.search(text))


def _asked_cells(
    cells: Mapping[int, str], columns: Mapping[int, str], asked: Asked
) -> Iterable[tuple[int, str]]:
    """Return the cells of the columns that a question names, else those of what it asks for."""
    if asked.kinds:
        cells = {at: text for at, text in cells.items() if _is_value(text, asked)} or cells
    heads = {at: columns.get(at, "") for at in cells}
    grades = {
        at: sum(Said([head]).grade(one) >= HELD for one in asked.words)
        + (not days_in(asked.text).isdisjoint(days_in(head)))
        for at, head in heads.items()
        if not any(map(head.startswith, asked.denied))
    }
    cells = {at: cells[at] for at in grades}
    most = max(grades.values(), default=0)
    if most and (min(grades.values()) < most or len(grades) == 1):
        return [(at, text) for at, text in cells.items() if grades[at] == most]
    return cells.items()


def _value(subject: str, value: str, tone: Tone) -> str:
    """Return a value as a sentence; empty if none can be made of it."""
    if not _ends_as_noun(value):
        return ""
    # Particles go by the word before a bracket.
    noun, told = (Noun(_BRACKET_AT_END.sub("", one)) for one in (subject, value))
    particle, copula = f"{noun:은}", f"{told:이에요}"
    return _VALUE[tone].format(subject=subject, particle=particle, value=value, copula=copula)


def _ends_as_noun(value: str) -> bool:
    """Tell whether a copula can follow a value: 9월 30일까지, not 포털에서 nor 4만 원 + 2만 원."""
    *_, last = morphemes(_BRACKET_AT_END.sub("", value)) or (None,)
    is_noun = last is None or last.form in _ENDS or not last.tag.startswith(("J", "E"))
    return is_noun and not _SIGNS.search(value)


def _quote(source: Source, told: _Told) -> str:
    said = " ".join(told.sentences)
    name = plain_line(source.title or source.file) or f"자료 {source.id}"
    return "\n".join((f"“{said}”" if told.is_quote else said, f"(출처: {name})"))
