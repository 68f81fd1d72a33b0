"""Reference blocks of README and docs, generated from the code and from the last measurements.

``python -m tests.reference`` rewrites every block between ``<!-- begin NAME -->`` and
``<!-- end NAME -->``. With ``--check`` nothing is written: it lists the pages that are out of date
and exits with status 1 if there are any. What stands around the blocks is written by hand.
"""

import importlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, get_args

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from guards.core.guard import Stage
from guards.core.registry import GuardType, all_guards
from policies.schema.loader import load_shipped
from policies.schema.policy import Policy
from policies.verification.shape import Verification
from proxy.cli import COMMANDS, command_line
from proxy.errors import GuardProxyError
from proxy.feedback import FeedbackReply, FeedbackRequest
from proxy.guardrail import GuardrailReply, GuardrailRequest
from proxy.metrics import Metrics
from proxy.openai_api.coverage import rows
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.model_request import GuardField
from proxy.settings import Settings
from proxy.verify import VerifyRequest
from tests.bench import tables
from tests.bench.results import Results as BenchResults
from tests.flow import refusals
from tests.quality.cases import Role
from tests.quality.figures import AnswerFigures, SetFigures, Share
from tests.quality.figures import Results as QualityResults

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = ROOT / "docs"
POLICIES: Final = ("default", "strict")
COMPARED: Final = (
    "nginx",
    "guard-proxy, guards off",
    "guard-proxy, guards on",
    "LiteLLM, hook",
    "Portkey, regex guard",
)
"""Subjects of the benchmark that the README names."""
_BLOCK = re.compile(r"(<!-- begin ([\w/-]+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def guards_table() -> str:
    """Return one row for each guard."""
    return table(
        ("guard", "runs", "finds"),
        (
            (f"[`{name}`](#{name})", _when(guard), _manual(guard)[0])
            for name, guard in all_guards().items()
        ),
    )


def guard_sections() -> str:
    """Return a section for each guard: what it finds and misses, its codes and its options."""
    weak = {name: _weak_codes(name) for name in POLICIES}
    return "\n\n".join(_guard_section(name, guard, weak) for name, guard in all_guards().items())


def settings_table() -> str:
    """Return every setting."""
    return table(
        ("variable", "default", "meaning"),
        (
            (f"`GUARD_PROXY_{name.upper()}`", _default(field), _text(field))
            for name, field in Settings.model_fields.items()
        ),
    )


def policy_sections() -> str:
    """Return every key of a policy, a section for each top-level key that has keys of its own."""
    plain, nested = [], []
    for name, field in Policy.model_fields.items():
        inner, many = _model_in(field.annotation)
        if inner is None:
            plain.append((f"`{name}`", _default(field), _text(field)))
        else:
            said = f"{_text(field)}\n\n" if field.description else ""
            nested.append(f"## {name}\n\n{said}{_key_table(inner, f'{name}{many}.')}")
    first = f"## Top level\n\n{table(('key', 'default', 'meaning'), plain)}"
    return "\n\n".join([first, *nested])


def refused_table() -> str:
    """Return every request that is refused by design; fields refused for one reason share a row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for one in (*refusals.fields(), *refusals.stored_state(), *refusals.REQUESTS):
        what, answer, why, instead = one.cells
        rows.setdefault((answer, why, instead), []).append(what)
    return table(
        ("request", "answer", "why", "instead"),
        (("; ".join(dict.fromkeys(what)), *rest) for rest, what in rows.items()),
    )


def metrics_table() -> str:
    """Return every metric."""
    return table(
        ("metric", "type", "labels", "meaning"),
        (
            (f"`{one.name}`", one.kind, ", ".join(f"`{label}`" for label in one.labels), one.said)
            for one in Metrics().described
        ),
    )


def errors_table() -> str:
    """Return every error of the proxy's own that a client can see."""
    importlib.import_module("proxy.app")  # imports every module that defines one
    found = {
        (one.status, one.code or "", re.sub("; `.*", "", _docstring(one)[0]))
        for one in _below(GuardProxyError)
        if one.code and ("__init__" in vars(one) or not one.__subclasses__())
    }
    return table(
        ("status", "`code`", "meaning"),
        ((str(status), f"`{code}`", said) for status, code, said in sorted(found)),
    )


def commands() -> str:
    """Return a section for each command, as its `--help` describes it."""
    parts: list[str] = []
    for name in COMMANDS:
        program = get_command(command_line([name]))
        assert isinstance(program, TyperGroup)
        parts.extend(_command_sections(program.commands[name], f"guard-proxy {name}"))
    return "\n\n".join(parts)


def quality_table() -> str:
    """Return the figures of the answers and questions that nobody had tuned on."""
    results = QualityResults.model_validate_json((DOCS / "quality/quality.json").read_bytes())
    lines: list[Sequence[str]] = []
    for entry in results.sets:
        if entry.role is not Role.UNSEEN:
            continue
        figures = {one.policy: one for one in results.figures if one.set == entry.name}
        lines += _quality_rows([figures[name] for name in POLICIES])
    head = table(("measured on unseen cases", *(f"`{name}`" for name in POLICIES)), lines)
    return f"{head}\n\nMeasured {results.date}."


def cost_table() -> str:
    """Return what a request costs, beside what one might use instead."""
    results = _bench()
    summary = tables.summary(results)
    kept = [row for row in summary.rows if row[0] in COMPARED]
    shown = [number for number, name in enumerate(summary.columns) if not name.endswith("nginx")]
    lines = ([row[number] for number in shown] for row in kept)
    head = table([summary.columns[number] for number in shown], lines)
    return f"{head}\n\nMeasured {results.date}: {results.machine}."


def bench_tables() -> str:
    """Return the last benchmark in short."""
    return tables.markdown(_bench(), brief=True)


BLOCKS: Final[Mapping[str, Callable[[], str]]] = {
    "guards": guards_table,
    "guard-sections": guard_sections,
    "settings": settings_table,
    "policy": policy_sections,
    **{f"fields/{one.path}": partial(rows, one.coverage) for one in ENDPOINTS},
    "refused": refused_table,
    "refused-endpoints": lambda: table(
        ("endpoints", "why they are closed"), (one.cells for one in refusals.ENDPOINTS)
    ),
    "guard-field": lambda: _key_table(GuardField, "guard."),
    "verify-request": lambda: _key_table(VerifyRequest, ""),
    "verify-reply": lambda: _key_table(Verification, "", is_reply=True),
    "feedback-request": lambda: _key_table(FeedbackRequest, ""),
    "feedback-reply": lambda: _key_table(FeedbackReply, "", is_reply=True),
    "guardrail-request": lambda: _key_table(GuardrailRequest, ""),
    "guardrail-reply": lambda: _key_table(GuardrailReply, "", is_reply=True),
    "errors": errors_table,
    "metrics": metrics_table,
    "commands": commands,
    "quality": quality_table,
    "cost": cost_table,
    "bench": bench_tables,
}


def pages() -> list[Path]:
    """Return the README and every page of docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def regenerated(text: str) -> str:
    """Return a page with every block of it as the code has it now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}\n{found[3]}", text)


def _quality_rows(figures: Sequence[SetFigures]) -> Iterator[Sequence[str]]:
    name = f"`{figures[0].set}`"
    answers = [one.answers for one in figures if one.answers]
    if answers:
        yield from _answer_rows(name, answers)
    for label in figures[0].questions:
        yield f"{name}: {_LABELS[label]}", *(_share(one.questions[label]) for one in figures)


_LABELS = {
    "complaint": "complaints recognised",
    "question": "ordinary questions taken for complaints",
    "mixed": "complaints with a question in them taken for mere complaints",
    "near_miss": "questions that the sources do not answer, stopped before the model",
    "answerable": "answerable questions stopped",
    "quoted_right": "questions that a direct answer would quote the right line for",
    "quoted_wrong": "questions that it would quote a wrong line for",
    "quoted_without_answer": "questions without an answer that it would quote anything for",
}


def _answer_rows(name: str, figures: Sequence[AnswerFigures]) -> Iterator[Sequence[str]]:
    def worst(one: AnswerFigures) -> str:
        field, found = max(
            one.by_field.items(), key=lambda item: (item[1].faithful_acted_on.rate, item[0])
        )
        return f"{_share(found.faithful_acted_on)}, {field}"

    def blind(one: AnswerFigures) -> str:
        kinds = sum(not share.count for share in one.by_kind.values())
        return f"{kinds} of {len(one.by_kind)}"

    yield f"{name}: faithful answers changed", *(_share(one.faithful_acted_on) for one in figures)
    yield f"{name}: the same, worst field", *map(worst, figures)
    yield f"{name}: planted errors caught", *(_share(one.found) for one in figures)
    yield f"{name}: kinds of error of which none was caught", *map(blind, figures)
    yield (
        f"{name}: answers with an error called verified",
        *(_share(one.verified_wrong) for one in figures),
    )


def _share(share: Share) -> str:
    return f"{share.rate:.0%} ({share.count} of {share.total})"


def _bench() -> BenchResults:
    return BenchResults.model_validate_json((DOCS / "bench/bench.json").read_bytes())


def _when(guard: GuardType) -> str:
    words = {Stage.INPUT: "on the question", Stage.OUTPUT: "on the answer"}
    return " and ".join(said for stage, said in words.items() if stage in guard.stages)


def _manual(guard: GuardType) -> tuple[str, str]:
    """Return the first line of a guard's manual, and the rest of it as a list."""
    return _docstring(importlib.import_module(guard.__module__))


def _docstring(documented: object) -> tuple[str, str]:
    text = (inspect.getdoc(documented) or "").replace("``", "`")
    title, _, rest = text.partition("\n\n")
    return _cell(title.rstrip(".")), rest


_PARTICLE = re.compile(r"\{\w+:(\w+)\}")
"""Placeholder of a particle in an instruction; the page shows the particle itself."""


def _guard_section(name: str, guard: GuardType, weak: Mapping[str, frozenset[str]]) -> str:
    title, manual = _manual(guard)
    manual = re.sub(r"\n +", " ", manual)
    listed = re.sub(r"^(\w+): ", r"- **\1:** ", manual, flags=re.MULTILINE)
    coded = table(
        ("code", "shown as", "only noted in", "meaning", "what the model is told"),
        (
            (
                f"`{code}`",
                _cell(f"{about.label.en} · {about.label.ko}"),
                ", ".join(f"`{policy}`" for policy in POLICIES if code in weak[policy]),
                _cell(about.meaning),
                _cell(_PARTICLE.sub(r"\1", about.instruction)) or "–",
            )
            for code, about in guard.codes.items()
        ),
    )
    parts = [f"## {name}", f"{title}. Runs {_when(guard)}.", listed, coded]
    if guard.settings_type.model_fields:
        parts.append(_key_table(guard.settings_type, "", first="option"))
    return "\n\n".join(part for part in parts if part)


def _weak_codes(policy: str) -> frozenset[str]:
    guards = load_shipped(policy).policy.guards
    return frozenset(code for rule in guards.values() for code in rule.weak)


def _key_table(
    model: type[BaseModel], prefix: str, *, is_reply: bool = False, first: str = "key"
) -> str:
    """Return the keys of a model and of the models inside it; those have no row of their own."""
    found = [
        (name, field)
        for name, field in _fields(model, prefix)
        if field.description or _model_in(field.annotation)[0] is None
    ]
    if is_reply:
        return table((first, "meaning"), ((f"`{name}`", _text(field)) for name, field in found))
    return table(
        (first, "default", "meaning"),
        ((f"`{name}`", _default(field), _text(field)) for name, field in found),
    )


def _fields(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        inner, many = _model_in(field.annotation)
        yield f"{prefix}{name}", field
        if inner is not None:
            yield from _fields(inner, f"{prefix}{name}{many}.")


def _model_in(annotation: object) -> tuple[type[BaseModel] | None, str]:
    """Return the model that an annotation holds, and how a key says that there are several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    arguments = get_args(annotation)
    many = ".<name>" if getattr(annotation, "__origin__", None) is dict else "[]"
    if isinstance(annotation, types.UnionType):
        many = ""
    for argument in arguments:
        if isinstance(argument, type) and issubclass(argument, BaseModel):
            return argument, many
        inner, deeper = _model_in(argument) if get_args(argument) else (None, "")
        if inner is not None:
            return inner, deeper
    return None, ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel) or default is None or default in ("", (), [], {}):
        return ""
    value = getattr(default, "value", default)
    if isinstance(value, bool):
        value = str(value).lower()
    if isinstance(value, tuple | frozenset):
        value = ", ".join(map(str, sorted(value)))
    return f"`{value}`"


def _text(field: FieldInfo) -> str:
    return _cell(field.description or "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _below(kind: type[GuardProxyError]) -> Iterator[type[GuardProxyError]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _command_sections(command: object, called: str) -> Iterator[str]:
    if isinstance(command, TyperGroup):
        for name, below in command.commands.items():
            yield from _command_sections(below, f"{called} {name}")
        return
    assert isinstance(command, TyperCommand)
    context = typer.Context(command, info_name=called)
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"## {called}", inspect.cleandoc(command.help or "")]
    parts.append(f"```text\n{' '.join(usage.split())}\n```")
    records = (one.get_help_record(context) for one in command.get_params(context))
    lines = [
        (f"`{record[0]}`".replace("|", "\\|"), _cell(record[1]))
        for record in records
        if record is not None and not record[0].startswith("--help")
    ]
    if lines:
        parts.append(table(("argument or option", "meaning"), lines))
    yield "\n\n".join(part for part in parts if part)


def main(arguments: Sequence[str]) -> int:
    """Write or check the blocks; return the exit status."""
    stale = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (fresh := regenerated(text)) != text:
            stale.append(page.relative_to(ROOT))
            if "--check" not in arguments:
                page.write_text(fresh, encoding="utf-8")
    for path in stale:
        sys.stdout.write(f"{path}\n")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
