"""What a run counted, as tables for a terminal, as a page and as a picture."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console

from tests.bench.chart import Bar, Panel, drawn
from tests.bench.tables import Table
from tests.quality.cases import Role
from tests.quality.figures import (
    FLOORS,
    AnswerFigures,
    CodeFigures,
    FieldFigures,
    Results,
    SetEntry,
    SetFigures,
    Share,
)

WHOLE_BAR = 360
"""Length of a bar of 100 %: behind it there is room for its label."""
_NOTHING = "–"
_HOW = """\
How good the guards are on answers as language models write them. `make quality` lets every case of
the sets of `tests/quality/sets` through the policies as they ship, without a model and
without a judge, and writes this page.

- A **faithful answer** has to leave as it is. It counts as acted on if anything is decided but
  `pass`: it would have been mended, trimmed, written again or replaced.
- A **planted error** is the one thing that is wrong in a copy of a faithful answer. It counts as
  found only if a finding that acted touches its words: to object to another sentence finds nothing.
- **Verified** counts answers that `/v1/verify` would call verified. On an answer with an error that
  is a false stamp.
- **Offered to a judge** counts, of the answers with an error that nothing acted on, those whose
  error stands in a claim that a judge would be asked about, if there were one; beside it stands
  about how many claims of a faithful answer it would be asked.
- In brackets stands the interval in which the true share lies with 95 % certainty (Wilson)."""
_NO_UNSEEN = """\
There is no unseen set yet. The figures below are those of sets that were tuned on: they say how far
the work has come, and nothing of answers that nobody has seen."""
_CODES = """\
Over all sets of answers that were run before anybody had read them, as if every code acted. *Right*
counts the answers with an error in which a finding of the code touches the error, *wrong* the
faithful answers in which it is found anywhere. The precision is that of a stream in which half of
the answers have one error.

A shipped policy lets a code act only from a precision of {floors} on, and otherwise only notes it
(`guards.<name>.weak`); one or two false alarms decide nothing. What keeps the rule says so in the
last column."""


def show(results: Results, out: Console) -> None:
    """Print every table."""
    for table in _all_tables(results):
        out.print(table.rich())
    out.print(_head(results))


def page(results: Results) -> str:
    """Return the page."""
    unseen = [one for one in results.sets if one.role is Role.UNSEEN]
    dev = [one for one in results.sets if one.role is Role.DEV]
    parts = ["# Quality", _HOW, "![The headline figures](quality/quality.svg)"]
    parts += ["## Sets that nobody has tuned on", *(_tables_of(results, unseen) or [_NO_UNSEEN])]
    parts += ["## Sets that were tuned on", *_tables_of(results, dev)]
    floors = " and ".join(f"{floor:g} (`{policy}`)" for policy, floor in FLOORS.items())
    parts += ["## Codes", _CODES.format(floors=floors)]
    parts += [table.markdown() for table in _code_tables(results)]
    parts.append(f"Measured on {_head(results)}.")
    return "\n\n".join(parts) + "\n"


def chart(results: Results) -> str:
    """Return the picture of the headline figures."""
    rows: tuple[tuple[str, Callable[[AnswerFigures], Share]], ...] = (
        ("Faithful answers acted on (less is better)", lambda one: one.faithful_acted_on),
        ("Planted errors found at their place (more is better)", lambda one: one.found),
        ("Answers with an error called verified (less is better)", lambda one: one.verified_wrong),
    )
    panels = [
        Panel(
            title,
            [
                _bar(entry, figures.policy, counted(figures.answers))
                for entry, figures in _answers(results)
                if figures.answers
            ],
        )
        for title, counted in rows
    ]
    return drawn("guard-proxy on answers as models write them", _head(results), panels)


def _bar(entry: SetEntry, policy: str, share: Share) -> Bar:
    name = f"{entry.name} ({entry.role}), {policy}"
    return Bar(name, policy == "default", WHOLE_BAR * share.rate, words(share))


def _answers(results: Results) -> Iterator[tuple[SetEntry, SetFigures]]:
    ordered = sorted(results.sets, key=lambda one: one.role is Role.DEV)
    for entry in ordered:
        if entry.kind == "answers":
            yield from ((entry, results.of(entry.name, policy)) for policy in results.policies)


def _all_tables(results: Results) -> list[Table]:
    ordered = sorted(results.sets, key=lambda one: one.role is Role.DEV)
    made = [_headline(results, ordered), _questions(results, ordered)]
    made += [table for entry in ordered for table in _worst(results, entry)]
    return [table for table in (*made, *_code_tables(results)) if table.rows]


def _tables_of(results: Results, sets: Sequence[SetEntry]) -> list[str]:
    tables = [_headline(results, sets), _questions(results, sets)]
    tables += [table for entry in sets for table in _worst(results, entry)]
    return [table.markdown() for table in tables if table.rows]


def _headline(results: Results, sets: Iterable[SetEntry]) -> Table:
    rows = []
    for entry in sets:
        for policy in results.policies:
            answers = results.of(entry.name, policy).answers
            if answers:
                rows.append([_called(entry, results), policy, *_answer_cells(answers)])
    columns = (
        "set",
        "policy",
        "faithful answers acted on",
        "errors found at their place",
        "faithful answers verified",
        "answers with an error verified",
        "missed errors offered to a judge",
        "claims asked about per faithful answer",
    )
    return Table("Answers", columns, rows)


def _answer_cells(answers: AnswerFigures) -> list[str]:
    shares = (
        answers.faithful_acted_on,
        answers.found,
        answers.verified_faithful,
        answers.verified_wrong,
        answers.offered,
    )
    return [*map(words, shares), f"{answers.claims_per_answer:.1f}"]


def _called(entry: SetEntry, results: Results) -> str:
    """Return a set's name with what its figures are worth."""
    if entry.role is Role.DEV:
        return f"{entry.name} (dev)"
    first = entry.first_run or results.date
    again = f", here run again on {results.date}" if results.date != first else ""
    return f"{entry.name} (unseen, first run {first}{again})"


def _questions(results: Results, sets: Iterable[SetEntry]) -> Table:
    said = {
        "complaint": "complaints found",
        "question": "questions taken for complaints",
        "mixed": "complaints with a question taken for pure ones",
        "near_miss": "near misses stopped before the model",
        "answerable": "answerable questions stopped",
        "quoted_right": "questions answered with the right quote",
        "quoted_wrong": "questions answered with a wrong quote",
        "quoted_without_answer": "questions without an answer that got a quote",
    }
    rows = []
    for entry in sets:
        asked = [results.of(entry.name, policy).questions for policy in results.policies]
        for label, meaning in said.items():
            if label in asked[0]:
                name = f"{_called(entry, results)}: {meaning}"
                rows.append([name, *(words(one[label]) for one in asked)])
    return Table("Questions", ("what", *results.policies), rows)


def _worst(results: Results, entry: SetEntry) -> list[Table]:
    """Return the kinds of errors and the fields of a set, the worst ones by `default` first."""
    answers = [
        answers
        for policy in results.policies
        if (answers := results.of(entry.name, policy).answers) is not None
    ]
    if not answers:
        return []
    name = _called(entry, results)
    first = answers[0]
    kinds = sorted(first.by_kind, key=lambda kind: (first.by_kind[kind].rate, kind))
    fields = sorted(first.by_field, key=lambda field: (_badness(first.by_field[field]), field))
    return [
        Table(
            f"{name}: errors found, by kind",
            ("kind", *results.policies),
            [[kind, *(words(one.by_kind[kind]) for one in answers)] for kind in kinds],
        ),
        Table(
            f"{name}: by field",
            (
                "field",
                *(f"{policy}: faithful acted on" for policy in results.policies),
                *(f"{policy}: errors found" for policy in results.policies),
            ),
            [
                [
                    field,
                    *(words(one.by_field[field].faithful_acted_on) for one in answers),
                    *(words(one.by_field[field].found) for one in answers),
                ]
                for field in fields
            ],
        ),
    ]


def _badness(field: FieldFigures) -> tuple[float, float]:
    return -field.faithful_acted_on.rate, field.found.rate


def _code_tables(results: Results) -> list[Table]:
    return [
        Table(
            f"Codes by `{policy}`, the least precise first",
            ("code", "right", "wrong", "precision", "acts", "the rule"),
            [_code_row(one, FLOORS.get(policy)) for one in codes],
        )
        for policy, codes in results.codes.items()
    ]


def _code_row(one: CodeFigures, floor: float | None) -> list[str]:
    return [
        f"`{one.code}`",
        _counted(one.right),
        _counted(one.wrong),
        f"{one.precision:.2f}",
        "yes" if one.acts else "noted",
        _of_the_rule(one, floor),
    ]


def _of_the_rule(one: CodeFigures, floor: float | None) -> str:
    if floor is None:
        return _NOTHING
    if one.acts == one.may_act(floor):
        return "kept"
    return "acts below it" if one.acts else "could act"


def words(share: Share) -> str:
    """Return a share in words: its rate with the interval, and of how many."""
    if not share.total:
        return _NOTHING
    low, high = share.interval
    return f"{share.rate:.0%} ({low:.0%}–{high:.0%}), {_counted(share)}".replace("%", " %")


def _counted(share: Share) -> str:
    return f"{share.count} of {share.total}"


def _head(results: Results) -> str:
    return f"{results.machine}; {results.date}; {results.seconds:.0f} s"
