"""Why nothing came of a try, in words that help."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from proxy.dashboard.languages import msgid
from proxy.errors import TooManyRequests
from proxy.openai_api.json_body import member, read_object
from proxy.server.asgi_reply import HttpReply


@dataclass(frozen=True, slots=True)
class Problem:
    """Why nothing came of it.

    Attributes:
        title: What happened, to be translated.
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
    """It cannot be tried as it stands; holds the problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.title)
        self.problem = problem


NO_TENANT = Problem(
    msgid("This tenant does not exist"),
    msgid("Choose a tenant from the list. One that was renamed or removed is no longer there."),
    field="tenant",
)
NOBODYS_KEY = Problem(
    msgid("The model of this tenant can only be asked with the app's own key"),
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
    msgid("The words of this trace were not kept"),
    msgid(
        "The tenant's policy keeps no text (tracing.text: none), so there is nothing to fill in."
    ),
)
_UNEXPECTED = Problem(
    msgid("The try came to nothing"),
    msgid("Its trace and the service's log have the details."),
)
_BY_CODE: Mapping[str, Problem] = {
    "upstream_unreachable": Problem(
        msgid("The tenant's model server cannot be reached"),
        msgid("See whether it runs and whether the address in the policy (upstream) is right."),
    ),
    "upstream_timeout": Problem(
        msgid("The tenant's model server took too long"),
        msgid("It may be busy. How long it may take stands in the policy (upstream.timeouts)."),
    ),
    "upstream_rejected_key": Problem(
        msgid("The model server does not accept the key of this service"),
        msgid("Whoever runs the service has to renew the key that the policy names (api_key_env)."),
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
        msgid("What is tried here counts like the requests of its apps. Try again later."),
    ),
    "request_too_large": TOO_LARGE,
    "invalid_request": Problem(
        msgid("It cannot be tried as it stands"), msgid("The service says:")
    ),
}

_SAY_ENOUGH = _BY_CODE.keys() - {"upstream_refused", "invalid_request"}
"""Codes to which the error's own sentence adds nothing."""


def limit_reached(error: TooManyRequests) -> Problem:
    """Return that the tenant has reached a limit."""
    known = _BY_CODE["rate_limit_exceeded"]
    return replace(known, said=str(error))


def problem_of(reply: HttpReply, code: str, trace_id: str) -> Problem:
    """Return why a request failed.

    Args:
        reply: What an app would have got.
        code: Code of the error, as its trace has it.
        trace_id: Id of its trace.
    """
    known = _BY_CODE.get(code, _UNEXPECTED)
    said = "" if code in _SAY_ENOUGH else _said(reply.body)
    return replace(known, said=said, trace_id=trace_id)


def _said(body: bytes) -> str:
    """Return the sentence of an error object; empty if it is none."""
    try:
        error = read_object(body).get("error")
    except ValueError:
        return ""
    said = member(error, "message")
    return said if isinstance(said, str) else ""
