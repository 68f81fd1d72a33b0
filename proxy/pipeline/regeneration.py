"""The request for the second attempt: the first one with a note about what was wrong.

The note is added to the end of the last user turn, because that is the one place which every chat
template takes: several refuse a system message that is not the first one. The draft itself is not
sent back; it would anchor the model on its own mistakes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from guards.core.finding import Finding, Strength
from guards.core.guard import Subject
from guards.core.reading import Reading, read
from guards.core.registry import guards_about
from guards.evidence.holders import has_same_holder
from guards.evidence.support import Support
from guards.text.citing.statements import read_statements
from guards.text.laws.index import LawIndex
from guards.text.laws.law import Kind
from guards.text.particles import Noun
from policies.codes import all_codes
from policies.judging.judge import JUDGE
from policies.schema.sections import Regeneration
from policies.templates import plain_line
from proxy.candidates import Candidate
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JsonObject

MOST_VALUES = 12
LONGEST_LIST_CHARS = 240

_Lister: TypeAlias = Callable[[Reading], Iterable[str]]


# A list is only made for a kind that was wrong, and never cut short: what is missing from it would
# be forbidden although it is right. Figures and contacts are not listed: each belongs to something,
# and a model takes one of another thing from a list.


class ClosedList(NamedTuple):
    """The values of one kind.

    Attributes:
        kind: What they are, in Korean.
        values: All there are; none if the sources hold none.
    """

    kind: str
    values: tuple[str, ...]


def closed_lists(reading: Reading, findings: Sequence[Finding]) -> tuple[ClosedList, ...]:
    """Return a list for each kind of value that was wrong, if it is short enough to be shown."""
    if not reading.sources:
        return ()
    made: list[ClosedList] = []
    for kind, subject, values_of in _KINDS:
        if not any(finding.guard in guards_about(subject) for finding in findings):
            continue
        values = tuple(dict.fromkeys(values_of(reading)))
        if len(values) <= MOST_VALUES and len(", ".join(values)) <= LONGEST_LIST_CHARS:
            made.append(ClosedList(kind, values))
    return tuple(made)


def _provisions(reading: Reading) -> Iterable[str]:
    index = LawIndex.of(reading.exchange.sources)
    set_out = ((one.article.number, one.article.branch) for one in index.provisions)
    mentioned = (
        (one.reference.number, one.reference.branch)
        for one in index.mentions
        if one.reference.kind is Kind.ARTICLE and one.reference.number is not None
    )
    return (
        f"제{number}조의{branch}" if branch else f"제{number}조"
        for number, branch in sorted({*set_out, *mentioned})
    )


def _names_of_sources(reading: Reading) -> Iterable[str]:
    return (
        f"[{source.id}] {plain_line(source.title or source.file)}".rstrip()
        for source in reading.exchange.sources
    )


_KINDS: tuple[tuple[str, Subject, _Lister], ...] = (
    ("조문", Subject.PROVISIONS, _provisions),
    ("출처", Subject.CITATIONS, _names_of_sources),
)


OPENING: Final = "앞서 쓴 초안에 고칠 곳이 있으니 처음부터 다시 답해 주세요."
"""Begins the note: a request to the model, without a label that it could repeat to the user."""
_OPENING = f"{OPENING} 아래 사항을 모두 지키되, 초안이나 이 요청에 관한 말은 답변에 쓰지 마세요."
_CLOSING = (
    "제공된 자료에 없는 내용은 쓰지 말고, 근거가 없으면 "
    "'제공된 자료에서 확인되지 않습니다'라고 답해 주세요."
)
_KEEP = "다음 문장은 유지하세요:"
_NOTHING = "없음"
# Who is told to choose another contact must not be told to give none.
_BANNED = Subject.PERSONAL_DATA
_CHOSEN = Subject.CONTACTS
_LONGEST_QUOTE_CHARS = 160
_LONGEST_OBSERVED_CHARS = 60
_LONGEST_EXPECTED_CHARS = 200
_LONGEST_NOTE_CHARS = 1200
_WORST_FIRST = (Strength.C2, Strength.C1, Strength.E0, Strength.E1, Strength.E2, Strength.E3)


# Evidence comes first and the wrong value once and short, because a repeated mistake is made again.


def note(
    findings: Sequence[Finding],
    most: int,
    lists: Sequence[ClosedList] = (),
    standing: Sequence[str] = (),
) -> str:
    """Return the note: worst findings first, each fault once, as much as there is room for."""
    room = _LONGEST_NOTE_CHARS - len(_OPENING) - len(_CLOSING) - 1
    faults = _faults(findings, most)
    worst = faults[:1]
    allowed = _fitting(map(_allowed, lists), room - _size(worst))
    others = _fitting(faults[1:], room - _size(worst + allowed))
    told = [*worst, *others, *allowed]
    return "\n".join([_OPENING, *told, *_kept(standing, room - _size(told)), _CLOSING])


def _size(lines: Iterable[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """Return as many of the lines, from the first one, as there is room for."""
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _kept(sentences: Iterable[str], room: int) -> list[str]:
    quoted = _fitting((f'"{sentence}"' for sentence in sentences), room - len(_KEEP) - 1)
    return [" ".join([_KEEP, *quoted])] if quoted else []


def _allowed(closed: ClosedList) -> str:
    if not closed.values:
        return f"자료에는 {closed.kind}{Noun(closed.kind):이} 없으니 쓰지 마세요."
    return f"쓸 수 있는 {closed.kind}: {', '.join(closed.values)} (이 밖의 것은 쓰지 마세요)"


def _faults(findings: Sequence[Finding], most: int) -> list[str]:
    chosen = [finding.observed for finding in findings if finding.guard in guards_about(_CHOSEN)]
    told = [
        one
        for one in findings
        if one.guard not in guards_about(_BANNED) or not _is_among(one, chosen)
    ]
    lines: list[str] = []
    for finding in sorted(told, key=lambda found: _WORST_FIRST.index(found.strength)):
        line = _instruction(finding)
        if line and line not in lines:
            lines.append(line)
    return [f"{number}) {line}" for number, line in enumerate(lines[:most], start=1)]


def _is_among(finding: Finding, texts: Iterable[str]) -> bool:
    return any(text in finding.observed or finding.observed in text for text in texts)


def _instruction(finding: Finding) -> str:
    code = all_codes()[finding.code]
    names_nothing = code.without_value and not finding.expected
    said = (code.without_value if names_nothing else code.instruction).format(
        observed=Noun(_short(finding.observed, _LONGEST_OBSERVED_CHARS)),
        expected=Noun(_short(", ".join(finding.expected), _LONGEST_EXPECTED_CHARS) or _NOTHING),
    )
    if finding.fix in finding.expected and "{expected}" not in code.instruction:
        said += f" 바르게 쓰면: {_short(finding.fix, _LONGEST_EXPECTED_CHARS)}"
    if not (said and finding.evidence):
        return said
    quote = _short(plain_line(finding.evidence[0].quote), _LONGEST_QUOTE_CHARS)
    return f'자료 {finding.evidence[0].source_id}: "{quote}" → {said}'


def _short(text: str, most_chars: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most_chars else f"{line[: most_chars - 1]}…"


LEAST_SHARE = 0.7
"""Share of the claims above which a draft is worth keeping; a worse one would only mislead."""
_SUPPORTED_FROM = 0.85


def standing_sentences(judged: Candidate) -> tuple[str, ...]:
    """Return the claims of an answer that the sources carry and no guard doubts.

    Returns:
        Those claims, in order; none if they are not most of the answer.
    """
    if judged.verdict is None or not judged.exchange.sources:
        return ()
    claims = [one for one in read_statements(judged.exchange.answer or "") if one.is_claim]
    doubted = [found.span for found in judged.verdict.findings if found.part == "answer"]
    support = Support(read(judged.exchange))
    places = range(len(judged.exchange.sources))
    kept: list[str] = []
    for claim in claims:
        start, end = claim.sentence.start, claim.sentence.end
        if any(span.start < end and start < span.end for span in doubted):
            continue
        carried = support.carried(claim.text, support.figures(start, end))
        if max(carried.score([place]) for place in places) >= _SUPPORTED_FROM:
            kept.append(claim.sentence.text)
    return tuple(kept) if len(kept) > LEAST_SHARE * len(claims) else ()


def acting(failed: Sequence[Candidate]) -> list[Finding]:
    """Return the findings for which answers have to be written again."""
    return [found for one in failed if one.verdict for found in one.verdict.acting]


def _findings_to_tell(failed: Sequence[Candidate]) -> Iterator[Finding]:
    """Yield the findings about answers, without values and quotes that may be of another thing."""
    # What names a source or a provision, or spells a word, is no value of anything; a judge quotes
    # for this very claim.
    names = {JUDGE, *guards_about(Subject.CITATIONS, Subject.PROVISIONS)}
    spellings = guards_about(Subject.FORM)
    for one in failed:
        reading = read(one.exchange)
        for found in acting([one]):
            if found.guard in names or has_same_holder(found, reading):
                yield found
            elif all_codes()[found.code].without_value:
                yield replace(found, expected=(), evidence=(), fix=None)
            else:
                fix = found.fix if found.guard in spellings else None
                yield replace(found, evidence=(), fix=fix)


def note_about(failed: Sequence[Candidate], rules: Regeneration) -> str:
    """Return what the model is told about answers that have to be written again."""
    findings = [*_findings_to_tell(failed)]
    lists = closed_lists(read(failed[0].exchange), findings)
    standing = standing_sentences(failed[0]) if len(failed) == 1 else ()
    return note(findings, rules.max_findings, lists, standing)


def with_note(
    endpoint: Endpoint[Any], body: JsonObject, text: str, rules: Regeneration, *, choices: int
) -> JsonObject:
    """Return the body of the second request. Pure: the given body is left as it is."""
    again = endpoint.noted(body, text, choices)
    if rules.temperature is not None:
        asked = body.get("temperature")
        wanted = asked if isinstance(asked, (int, float)) else 1.0
        again["temperature"] = min(wanted, rules.temperature)
    seed = body.get("seed")
    if isinstance(seed, int):
        again["seed"] = seed + 1
    return again
