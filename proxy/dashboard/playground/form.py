"""The playground's form: what somebody wants to try."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from litestar.datastructures import FormMultiDict

from guards.core.exchange import Source
from policies.schema.sections import StoredText
from policies.verification.options import Correction
from proxy.traces.trace import Trace

INSTRUCTIONS = "아래 자료에 적힌 내용만으로 질문에 한국어로 답하세요."
"""What the model is told unless somebody writes something else."""
MOST_BOXES = 50


class Way(StrEnum):
    """What is wanted."""

    ASK = "ask"
    """The tenant's model is asked, guarded as for every app."""
    CHECK = "check"
    """An answer that is already there is held against its sources."""


class SourcesAs(StrEnum):
    """How the sources are given."""

    BOXES = "boxes"
    """Each in a box of its own."""
    LISTED = "listed"
    """As the list that an app sends in ``guard.sources``, JSON."""
    BLOCK = "block"
    """As an app's prompt holds them, to be found by the proxy."""


@dataclass(frozen=True, slots=True)
class Box:
    """One source as it was typed."""

    title: str = ""
    text: str = ""
    file: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class Filled:
    """The form as it is filled in; what the way does not need may be filled in all the same.

    Attributes:
        tenant: Whose policy it goes by; empty where nobody chose one.
        verify: The answer of the model is verified too.
        correction: What is mended in an answer that is checked.
        is_masked: Labels stand over personal data in it.
    """

    way: Way = Way.ASK
    tenant: str = ""
    question: str = ""
    answer: str = ""
    model: str = ""
    instructions: str = INSTRUCTIONS
    verify: bool = True
    correction: Correction = "trim"
    sources_as: SourcesAs = SourcesAs.BOXES
    boxes: tuple[Box, ...] = (Box(),)
    listed: str = ""
    block: str = ""
    is_masked: bool = False


ChoiceT = TypeVar("ChoiceT", Way, SourcesAs)


def filled_in(form: FormMultiDict) -> Filled:
    """Read the form as a browser sends it."""

    def text(name: str) -> str:
        return _text(form.get(name))

    return Filled(
        way=_chosen(Way, text("way"), Way.ASK),
        tenant=text("tenant"),
        question=text("question").strip(),
        answer=text("answer").strip(),
        model=text("model").strip(),
        instructions=text("instructions").strip(),
        verify="verify" in form,
        correction="citations" if text("correction") == "citations" else "trim",
        sources_as=_chosen(SourcesAs, text("sources_as"), SourcesAs.BOXES),
        boxes=_boxes(form) or (Box(),),
        listed=text("listed"),
        block=text("block"),
    )


def from_trace(trace: Trace) -> Filled | None:
    """Return the form filled with what was asked and answered; None if no words were kept."""
    if trace.text is StoredText.NONE:
        return None
    choices = trace.attempts[0].choices if trace.attempts else ()
    answer = choices[0].text if choices else ""
    return Filled(
        way=Way.CHECK if answer else Way.ASK,
        tenant=trace.tenant,
        question=trace.question,
        answer=answer,
        model=trace.model,
        boxes=tuple(map(_box, trace.sources)) or (Box(),),
        is_masked=trace.text is StoredText.MASKED,
    )


def _boxes(form: FormMultiDict) -> tuple[Box, ...]:
    columns = [
        [_text(value) for value in form.getall(f"source_{name}", [])]
        for name in ("title", "text", "file", "page")
    ]
    return tuple(Box(*row) for row in zip(*columns, strict=False))[:MOST_BOXES]


def _box(source: Source) -> Box:
    page = "" if source.page is None else str(source.page)
    return Box(source.title, source.text, source.file, page)


def _text(value: object) -> str:
    """Return a field's text with plain line ends; a file that somebody sends instead is none."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else ""


def _chosen(kind: type[ChoiceT], said: str, usual: ChoiceT) -> ChoiceT:
    return kind(said) if said in tuple(kind) else usual
