"""Checks of a policy beyond its schema: values that do not fit together."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from guards.core.guard import Scope, Stage
from guards.core.registry import all_guards
from policies import patterns
from policies.codes import JUDGE_CODES
from policies.judging.judge import JUDGE
from policies.schema.base import Mode, Remark
from policies.schema.document import suggestion
from policies.schema.passing import carries_questions, remarks_on_answers
from policies.schema.policy import Action, GuardRule, OnNotRun, Policy
from policies.schema.sections import Renumber, StreamMode
from policies.templates import CORRECTION, CUT, DIRECT_ANSWER, FALLBACK, BadTemplate, compiled

_KEY = re.compile("[!-~]+")
"""Characters allowed in a header: visible ASCII."""


def remarks_about(
    policy: Policy, environment: Mapping[str, str], *, require_env: bool
) -> list[Remark]:
    """Look at one policy, without its shape.

    Args:
        environment: Where model servers' keys are looked up.
        require_env: Whether a key that is not there is refused, or only pointed out.
    """
    return [
        *_about_intents(policy),
        *_about_templates(policy),
        *remarks_on_answers(policy.passthrough),
        *(_about_tenant(policy) if policy.tenant else _about_base(policy)),
        *about_streams(policy),
        *_about_judge(policy),
        *_about_address(policy),
        *_about_keys(policy),
        *_about_environment(policy, environment, require_env=require_env),
    ]


def faults_in_judging(policy: Policy) -> list[Remark]:
    """Return what keeps a policy from judging requests, also one that serves no tenant itself.

    Such as a reply that it lacks, which a base may leave to those that extend it.
    """
    serving = policy.model_copy(update={"tenant": policy.tenant or "anybody"})
    remarks = remarks_about(serving, {}, require_env=False)
    return [one for one in remarks if one.refused and one.key != ("tenant",)]


def _about_intents(policy: Policy) -> Iterator[Remark]:
    for number, rule in enumerate(policy.intents):
        for position, pattern in enumerate(rule.patterns):
            try:
                patterns.tenant_pattern(pattern)
            except patterns.BadPattern as error:
                yield Remark(("intents", number, "patterns", position), str(error))


def _about_templates(policy: Policy) -> Iterator[Remark]:
    called = {FALLBACK, CUT, CORRECTION, DIRECT_ANSWER, JUDGE, *JUDGE_CODES}
    called |= {rule.template for rule in policy.guards.values() if rule.template}
    for guard in all_guards().values():
        called |= {guard.id, f"{guard.id}.not_run", *guard.codes}
    for name, source in policy.templates.items():
        try:
            compiled(source)
        except BadTemplate as error:
            yield Remark(("templates", name), str(error))
        if name not in called:
            hint = suggestion(name, called)
            yield Remark(("templates", name), f"is called by no guard, code or rule; {hint}", False)


def _about_tenant(policy: Policy) -> Iterator[Remark]:
    if policy.upstream is None:
        yield Remark(("tenant",), "needs an `upstream`, the model server it speaks to")
    elif not policy.keys and not policy.upstream.pass_caller_key:
        yield Remark(("tenant",), "has no `keys`, so no app can reach it yet", False)
    if not any(rule.mode is not Mode.OFF for rule in policy.guards.values()):
        yield Remark(("tenant",), "turns on no guard: every answer passes unchecked", False)
    if _minds_questions(policy) and carries_questions(policy.passthrough):
        yield Remark(
            ("guards", "personal_data", "options", "input"),
            "holds for guarded endpoints; what `passthrough` hands on goes out as it is",
            refused=False,
        )
    for guard, rule in policy.guards.items():
        if rule.template is not None and rule.template not in policy.templates:
            hint = suggestion(rule.template, policy.templates)
            yield Remark(("guards", guard, "template"), f"names no template; {hint}")
        elif _can_replace(guard, rule) and not _has_template(guard, rule, policy):
            yield Remark(
                ("guards", guard),
                f"can replace an answer and has no template: add `{guard}` or `{FALLBACK}` to "
                "`templates`",
            )
    if policy.judge and policy.judge.mode is Mode.ENFORCE and not _has_judge_template(policy):
        # With a guard's doubt behind it, its objection may replace an answer.
        yield Remark(
            ("judge",),
            f"can replace an answer and has no template: add `{JUDGE}` or `{FALLBACK}` to "
            "`templates`",
        )


def _about_judge(policy: Policy) -> Iterator[Remark]:
    """Point out what a judge on the tenant's own model server lacks, and what comes too late."""
    rules = policy.judge
    if rules is None or rules.mode is Mode.OFF or policy.upstream is None:
        return
    names_model = rules.model or rules.base_url or policy.upstream.models
    if not names_model:
        yield Remark(
            ("judge",),
            "asks the model of each request; a `/v1/verify` that names no model goes without: add "
            "`judge.model` or `upstream.models`",
            refused=False,
        )
    if rules.mode is Mode.ENFORCE and policy.stream.mode is StreamMode.GATE:
        yield Remark(
            ("judge",),
            "is asked at the end of an answer, of which `stream.mode: gate` has sent all but the "
            "last sentence: it can only take that one out or add a correction; `buffer` waits",
            refused=False,
        )


def _about_base(policy: Policy) -> Iterator[Remark]:
    if policy.keys:
        yield Remark(("keys",), "open nothing without a `tenant`")


def _about_address(policy: Policy) -> Iterator[Remark]:
    if policy.upstream is None:
        return
    path = urlsplit(policy.upstream.base_url).path
    said = ""
    if not path:
        said = "has no path, as /v1 would be: right only if the root holds /chat/completions"
    elif path.endswith(("/completions", "/responses", "/models")):
        said = "names an endpoint, which is added to it: leave out what follows the version"
    if said:
        yield Remark(("upstream", "base_url"), said, refused=False)


def _about_keys(policy: Policy) -> Iterator[Remark]:
    if policy.upstream is None or not policy.upstream.pass_caller_key:
        return
    because = "would let any caller use what is the tenant's own"
    if policy.keys:
        yield Remark(("keys",), f"cannot go with `upstream.pass_caller_key`, which {because}")
    if policy.upstream.api_key_env:
        yield Remark(
            ("upstream", "api_key_env"), f"cannot go with `pass_caller_key`, which {because}"
        )


def _about_environment(
    policy: Policy, environment: Mapping[str, str], *, require_env: bool
) -> Iterator[Remark]:
    for section, server in (("upstream", policy.upstream), ("judge", policy.judge)):
        variable = server.api_key_env if server else None
        if not policy.tenant or not variable:
            continue
        key = environment.get(variable)
        if not key:
            message = f"names the environment variable {variable}, which is not set"
            yield Remark((section, "api_key_env"), message, refused=require_env)
        elif not _KEY.fullmatch(key):
            message = (
                f"names the environment variable {variable}, which holds no key: a header cannot "
                "carry blanks, line ends (as a file's last one) or letters beyond ASCII"
            )
            yield Remark((section, "api_key_env"), message, refused=require_env)


def _can_replace(guard: str, rule: GuardRule) -> bool:
    if rule.can_replace:
        return True
    acts = rule.mode is Mode.ENFORCE and rule.action is not Action.PASS
    return acts and Stage.INPUT in all_guards()[guard].stages  # a question has no second attempt


def _has_template(guard: str, rule: GuardRule, policy: Policy) -> bool:
    if {guard, FALLBACK, rule.template} & policy.templates.keys():
        return True
    covers_codes = all_guards()[guard].codes.keys() <= policy.templates.keys()
    return covers_codes and rule.on_not_run is not OnNotRun.REPLACE


def _minds_questions(policy: Policy) -> bool:
    """Return whether personal data is kept from the model server."""
    rule = policy.guards.get("personal_data", GuardRule(mode=Mode.OFF))
    return rule.mode is Mode.ENFORCE and rule.options.get("input", "off") != "off"


def _has_judge_template(policy: Policy) -> bool:
    return bool({JUDGE, FALLBACK} & policy.templates.keys())


_MOST_NAMED = 3
_INSTEAD = "use `stream.mode: buffer`, or leave this out"


def about_streams(policy: Policy) -> Iterator[Remark]:
    """Yield what a policy asks of its answers that they cannot keep once they began to leave."""
    if policy.stream.mode is StreamMode.MONITOR and policy.tenant:
        yield Remark(("stream", "mode"), "lets every answer out, whatever the guards say", False)
    if policy.stream.mode is not StreamMode.GATE:
        return
    yield from _about_guards(policy)
    yield from _about_the_end(policy)
    if policy.citations.instruct and policy.citations.renumber is Renumber.AUTO:
        yield Remark(
            ("citations", "instruct"),
            "asks for marks such as [†1] and a list, whose numbers may change: such answers are "
            "held to their end; `renumber: never` lets them out sentence by sentence",
            False,
        )
    if policy.citations.renumber is Renumber.ALWAYS:
        yield Remark(
            ("citations", "renumber"),
            "`always` needs the whole answer: numbers that have been sent cannot change, and "
            f"`stream.mode: gate` lets sentences out before `citations` knows them all; {_INSTEAD}",
        )
    if policy.tenant and _may_end(policy) and not _has_closings(policy):
        yield Remark(
            ("stream", "mode"),
            f"`gate` may have to end an answer and has no template: add `{CUT}` and "
            f"`{CORRECTION}`, or `{FALLBACK}`, to `templates`",
        )


def _about_the_end(policy: Policy) -> Iterator[Remark]:
    """Point out what can only close an answer where the policy would rather not have begun it."""
    strict = [name for name, rule in _of_answers(policy) if rule.on_not_run is OnNotRun.REPLACE]
    late = [name for name, _ in _of_answers(policy) if all_guards()[name].scope is Scope.ANSWER]
    if policy.tenant and strict and late:
        yield Remark(
            ("stream", "mode"),
            f"`gate` lets sentences out before the end is judged, though {_names(strict)} may let "
            f"nothing out unchecked; what {_names(late)} and the last look at the whole answer "
            "find can then only close it; `buffer` judges first",
            refused=False,
        )


def _of_answers(policy: Policy) -> Iterator[tuple[str, GuardRule]]:
    for name, rule in policy.guards.items():
        if rule.mode is Mode.ENFORCE and Stage.OUTPUT in all_guards()[name].stages:
            yield name, rule


def _names(guards: list[str]) -> str:
    """Return the first few guards, and how many more there are."""
    more = len(guards) - _MOST_NAMED
    named = ", ".join(f"`{name}`" for name in guards[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def _may_end(policy: Policy) -> bool:
    """Tell whether an answer that has begun to leave may have to end before its end."""
    replaces = any(
        rule.can_replace and Stage.OUTPUT in all_guards()[guard_id].stages
        for guard_id, rule in policy.guards.items()
    )
    return replaces or (policy.judge is not None and policy.judge.mode is Mode.ENFORCE)


def _has_closings(policy: Policy) -> bool:
    names = policy.templates.keys()
    return FALLBACK in names or names >= {CUT, CORRECTION}


def _about_guards(policy: Policy) -> Iterator[Remark]:
    for guard_id, rule in _of_answers(policy):
        is_needed = rule.on_not_run is OnNotRun.REPLACE
        if is_needed and all_guards()[guard_id].scope is Scope.ANSWER:
            yield Remark(
                ("guards", guard_id, "on_not_run"),
                f"`replace` lets nothing out before the guard ran, and `{guard_id}` needs the "
                f"whole answer, of which `stream.mode: gate` lets sentences out before; {_INSTEAD}",
            )
