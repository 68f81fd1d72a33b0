"""The playground's form, the request bodies built from it, and reasons for failures.

The library of the examples, its rules and its numbers are invented.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeVar

from litestar.datastructures import FormMultiDict
from pydantic import JsonValue

from guards.core.exchange import Source
from policies.schema.policy import Policy
from policies.schema.sections import StoredText
from policies.verification.shape import BadSources, Correction, sources_of
from proxy.errors import TooManyRequests
from proxy.openai_api.json_body import JsonObject, member, read_object
from proxy.server.asgi_reply import HttpReply
from proxy.traces.trace import Trace
from proxy.views import msgid


@dataclass(frozen=True, slots=True)
class Problem:
    """Reason why a try failed.

    Attributes:
        advice: What can be done about it, to be translated; empty if nothing.
        said: What a machine says about it, in its own words; empty if nothing.
        field: Id of the form's field that it is about; empty if it is about none.
        trace_id: Id of its trace; empty if nothing was tried.
    """

    title: str
    advice: str = ""
    said: str = ""
    field: str = ""
    trace_id: str = ""


class CannotTry(Exception):
    """The form cannot be submitted as it is; has the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem


NO_TENANT = Problem(
    msgid("This tenant does not exist"),
    msgid("Choose a tenant from the list. One that was renamed or removed is no longer there."),
    field="tenant",
)
NOBODYS_KEY = Problem(
    msgid("The model of this tenant can only be called with the app's own key"),
    msgid(
        "Its policy sends each caller's own key on to the model server (pass_caller_key), and the "
        "dashboard has none. You can still check an answer that you paste here."
    ),
)
NO_QUESTION = Problem(msgid("There is no question yet"), field="question")
NO_ANSWER = Problem(msgid("There is no answer to check yet"), field="answer")
NO_MODEL = Problem(
    msgid("There is no model name yet"),
    msgid("Give the name by which apps ask for the model."),
    field="model",
)
NO_LIST = Problem(
    msgid("The list of sources cannot be read"),
    msgid('It is a JSON list of sources, such as [{"title": "…", "text": "…"}].'),
    field="listed",
)
BAD_PAGE = Problem(msgid("A page is a whole number"), field="boxes")
TOO_LARGE = Problem(
    msgid("This is too long to try here"),
    msgid("Take out sources that the answer does not need, or shorten them."),
)
NO_ROOM = Problem(
    msgid("Several tries are under way already"),
    msgid("Only a few run at once, so that apps are not kept waiting. Try again in a moment."),
)
NOT_KEPT = Problem(
    msgid("The texts of this trace were not stored"),
    msgid(
        "The tenant's policy stores no texts (tracing.text: none), so there is nothing to fill in."
    ),
)
_UNEXPECTED = Problem(
    msgid("The try failed"),
    msgid("Its trace and the service's log have the details."),
)
_BY_CODE: Mapping[str, Problem] = {
    "upstream_unreachable": Problem(
        msgid("The tenant's model server cannot be reached"),
        msgid("See whether it runs and whether the address in the policy (upstream) is right."),
    ),
    "upstream_timeout": Problem(
        msgid("The tenant's model server took too long"),
        msgid("It may be busy. The policy sets how long it may take (upstream.timeouts)."),
    ),
    "upstream_rejected_key": Problem(
        msgid("The model server does not accept the key of this service"),
        msgid(
            "The operator of the service has to renew the key that the policy names (api_key_env)."
        ),
    ),
    "upstream_refused": Problem(
        msgid("The model server refused the request"),
        msgid("Often it does not know the model by this name. It says:"),
    ),
    "upstream_broken": Problem(
        msgid("The model server's reply cannot be read"),
        msgid("See whether the address in the policy leads to an OpenAI-compatible server."),
    ),
    "model_not_found": Problem(
        msgid("This tenant has no model of this name"),
        msgid("The policy lists the models that it may use (upstream.models)."),
        field="model",
    ),
    "rate_limit_exceeded": Problem(
        msgid("The tenant has reached a limit of its policy"),
        msgid("Requests from here count like those of its apps. Try again later."),
    ),
    "request_too_large": TOO_LARGE,
    "invalid_request": Problem(msgid("It cannot be tried like this"), msgid("The service says:")),
}

_SAY_ENOUGH = _BY_CODE.keys() - {"upstream_refused", "invalid_request"}
"""Codes to which the error's own sentence adds nothing."""


def limit_reached(error: TooManyRequests) -> Problem:
    """Return that the tenant has reached a limit."""
    known = _BY_CODE["rate_limit_exceeded"]
    return replace(known, said=str(error))


def problem_of(reply: HttpReply, code: str, trace_id: str) -> Problem:
    """Return why a request failed."""
    known = _BY_CODE.get(code, _UNEXPECTED)
    said = "" if code in _SAY_ENOUGH else _error_message(reply.body)
    return replace(known, said=said, trace_id=trace_id)


def _error_message(body: bytes) -> str:
    """Return the sentence of an error object; empty if it is none."""
    try:
        error = read_object(body).get("error")
    except ValueError:
        return ""
    said = member(error, "message")
    return said if isinstance(said, str) else ""


INSTRUCTIONS = "아래 자료에 적힌 내용만으로 질문에 한국어로 답하세요."
"""Default instructions for the model."""
MOST_BOXES = 50


class Way(StrEnum):
    """Kind of try: ask the model or check an answer."""

    ASK = "ask"
    """The tenant's model is asked, guarded as for every app."""
    CHECK = "check"
    """An existing answer is compared with its sources."""


class SourcesAs(StrEnum):
    """Format of the sources."""

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
class TrialForm:
    """The form as filled in, also with fields that the chosen way does not use.

    Attributes:
        tenant: Tenant whose policy is used; empty if none was chosen.
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


def filled_in(form: FormMultiDict) -> TrialForm:
    """Read the form as a browser sends it."""

    def text(name: str) -> str:
        return _text(form.get(name))

    return TrialForm(
        way=_chosen(Way, text("way"), Way.ASK),
        tenant=text("tenant"),
        question=text("question").strip(),
        answer=text("answer").strip(),
        model=text("model").strip(),
        instructions=text("instructions").strip(),
        verify="verify" in form,
        correction="citations" if text("correction") == "citations" else "trim",
        sources_as=_chosen(SourcesAs, text("sources_as"), SourcesAs.BOXES),
        boxes=_boxes_in(form) or (Box(),),
        listed=text("listed"),
        block=text("block"),
    )


def from_trace(trace: Trace) -> TrialForm | None:
    """Return the form filled with what was asked and answered; None if no words were kept."""
    if trace.text is StoredText.NONE:
        return None
    choices = trace.attempts[0].choices if trace.attempts else ()
    answer = choices[0].text if choices else ""
    return TrialForm(
        way=Way.CHECK if answer else Way.ASK,
        tenant=trace.tenant,
        question=trace.question,
        answer=answer,
        model=trace.model,
        boxes=tuple(map(_box, trace.sources)) or (Box(),),
        is_masked=trace.text is StoredText.MASKED,
    )


def _boxes_in(form: FormMultiDict) -> tuple[Box, ...]:
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


_ROOMS = TrialForm(
    way=Way.CHECK,
    question="누리봄도서관 열람실은 몇 시까지 열고, 책은 며칠 동안 빌릴 수 있나요?",
    boxes=(
        Box(
            title="누리봄도서관 이용 규정 제4조(이용 시간)",
            text="제4조(이용 시간) ① 열람실은 평일 09:00부터 22:00까지, 주말에는 18:00까지 연다. "
            "② 매월 첫째 월요일에는 쉰다.",
            file="nuribom.pdf",
            page="2",
        ),
        Box(
            title="누리봄도서관 이용 규정 제7조(대출)",
            text="제7조(대출) ① 책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있다. "
            "② 예약한 사람이 없으면 한 번에 한하여 7일을 연장할 수 있다.",
            file="nuribom.pdf",
            page="4",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Example:
    """A form that is filled in already."""

    title: str
    filled: TrialForm


EXAMPLES: Mapping[str, Example] = {
    "clean": Example(
        msgid("A good answer"),
        replace(
            _ROOMS,
            answer="열람실은 평일 09:00부터 22:00까지 엽니다. [1] "
            "책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다. [2]",
        ),
    ),
    "wrong": Example(
        msgid("A wrong answer"),
        replace(
            _ROOMS,
            answer="열람실은 평일 09:00부터 22:00까지 엽니다. [1] "
            "책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다. [2] "
            "예약한 사람이 없으면 30일을 연장할 수 있습니다. [2]",
        ),
    ),
    "citations": Example(
        msgid("Wrong citations"),
        replace(
            _ROOMS,
            answer="책은 한 사람이 다섯 권까지 14일 동안 빌릴 수 있습니다[†1][†2]. "
            "예약한 사람이 없으면 한 번에 한하여 7일을 연장할 수 있습니다[†2][†5].\n\n"
            "### References\n- [†1] nuribom.pdf, p.2\n- [†2] nuribom.pdf, p.4\n"
            "- [†5] nuribom.pdf, p.9",
        ),
    ),
}
"""All of them, by their names in the address."""


def chat_body(filled: TrialForm, policy: Policy) -> JsonObject:
    """Return the chat completion that asks the question.

    Raises:
        CannotTry: something is missing, or the sources cannot be read.
    """
    if not filled.question:
        raise CannotTry(NO_QUESTION)
    if not filled.model:
        raise CannotTry(NO_MODEL)
    guard: JsonObject = {"report": True}
    if filled.sources_as is SourcesAs.BLOCK:
        shown = filled.block
    else:
        sources = _sources(filled)
        guard["sources"] = _sources_json(sources)
        # The policy's own citation prompt brings them along.
        shown = "" if policy.citations.instruct else _context(sources)
    return {
        "model": filled.model,
        "messages": _messages(filled.instructions, shown, filled.question),
        "guard": guard,
    }


def verify_body(filled: TrialForm) -> JsonObject:
    """Return the request to verify the answer.

    Raises:
        CannotTry: something is missing, or the sources cannot be read.
    """
    if not filled.answer:
        raise CannotTry(NO_ANSWER)
    options: JsonObject = {"correction": filled.correction}
    if filled.sources_as is SourcesAs.BLOCK:
        messages = _messages("", filled.block, filled.question)
        return {"messages": messages, "answer": filled.answer, "options": options}
    return {
        "question": filled.question,
        "answer": filled.answer,
        "sources": _sources_json(_sources(filled)),
        "options": options,
    }


def _messages(instructions: str, context: str, question: str) -> list[JsonValue]:
    """Return an app's messages: what the model is told with the sources, and the question."""
    told = "\n\n".join(filter(None, (instructions, context.strip())))
    asked: JsonValue = {"role": "user", "content": question}
    return [{"role": "system", "content": told}, asked] if told else [asked]


def _sources(filled: TrialForm) -> tuple[Source, ...]:
    boxed = filled.sources_as is SourcesAs.BOXES
    given = _boxed(filled) if boxed else _pasted(filled.listed)
    try:
        return sources_of(given)
    except BadSources as bad:
        raise CannotTry(replace(NO_LIST, said=str(bad))) from None


def _boxed(filled: TrialForm) -> list[Source]:
    return [
        Source(
            id=str(place),
            title=box.title.strip(),
            text=box.text.strip(),
            file=box.file.strip(),
            page=_page(box.page.strip()),
        )
        for place, box in enumerate(filled.boxes, start=1)
    ]


def _page(said: str) -> int | None:
    if not said:
        return None
    if not (said.isascii() and said.isdecimal() and len(said) < 10):
        raise CannotTry(BAD_PAGE)
    return int(said)


def _pasted(listed: str) -> list[JsonObject]:
    if not listed.strip():
        return []
    try:
        given = json.loads(listed)
    except (ValueError, RecursionError) as error:
        raise CannotTry(replace(NO_LIST, said=str(error))) from None
    if not isinstance(given, list):
        raise CannotTry(NO_LIST)
    return given


def _sources_json(sources: Sequence[Source]) -> list[JsonValue]:
    """Return the sources as ``guard.sources`` holds them."""
    return [
        {
            "id": source.id,
            "section_title": source.title,
            "section_content": source.text,
            "file": source.file,
            "page": source.page,
            "score": source.score,
        }
        for source in sources
    ]


def _context(sources: Sequence[Source]) -> str:
    """Return the sources as a model is shown them, each under the number that citations use."""
    return "\n\n".join(f"[{source.id}] {_name(source)}\n{source.text}" for source in sources)


def _name(source: Source) -> str:
    page = "" if source.page is None else f"p.{source.page}"
    return ", ".join(filter(None, (source.title, source.file, page)))
