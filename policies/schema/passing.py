"""Rules for requests that are forwarded without guards: methods and paths.

A rule is ``[METHOD,… ]/path``, the path being what follows the version (``/v1`` in front of it may
be written). ``*`` stands for one segment and ``**``, at the end, for any number of them, none
included. A rule without a method opens all of them, and GET opens HEAD.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from policies.schema.base import Remark

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ONE = "*"
ANY = "**"
LONGEST_RULE_CHARS = 200
_SEGMENT = re.compile(r"\*|[\w.~!$&'()+,=:@-]+")
_WAY_HERE = re.compile(r"(?:/openai|/t/[^/]+)/v1(?:/|$)|/v1$")

GUARDED_ENDINGS = frozenset({"completions", "responses", "verify"})
"""Last segments of guarded endpoints. Whatever stands before them, what ends so is never handed
through: servers know ``/completions`` under several prefixes."""

UNGUARDED = frozenset({("organization", "usage", "completions")})
"""Paths that end so and lead elsewhere: counts of requests, for billing."""

WITHOUT_ANSWERS = (
    "GET /models/**",
    "POST /embeddings",
    "POST /moderations",
    "/files/**",
    "/uploads/**",
    "POST /audio/transcriptions",
    "POST /audio/translations",
    "POST /images/**",
)
"""Endpoints that carry no answer of a model, which is what a policy hands through by default."""

_WITH_ANSWERS = (
    "GET /chat/completions/*/**",
    "GET,POST /responses/*/**",
    "GET /conversations/*/items/**",
    "/batches/**",
    "POST /threads/runs",
    "/threads/*/runs/**",
    "GET /threads/*/messages/**",
    "/evals/**",
    "/realtime/**",
    "/live/**",
    "/chatkit/**",
    "/agents/**",
    "POST /messages/**",
    "POST /fine_tuning/alpha/graders/run",
)
"""Endpoints known to carry answers of a model that no guard has seen, or to lead to some."""


@dataclass(frozen=True, slots=True)
class PassingRule:
    """One rule.

    Attributes:
        methods: What it opens.
        segments: Of the path, without `ANY`.
        open_ended: Whether any number of further segments may follow.
    """

    methods: frozenset[str]
    segments: tuple[str, ...]
    open_ended: bool

    def fits(self, segments: tuple[str, ...]) -> bool:
        """Return whether a path is one of those that the rule is about."""
        own = len(self.segments)
        if len(segments) < own or (len(segments) > own and not self.open_ended):
            return False
        return _alike(self.segments, segments)

    def meets(self, other: "PassingRule") -> bool:
        """Return whether there is a request that both open."""
        shorter, longer = sorted((self, other), key=lambda rule: len(rule.segments))
        if len(longer.segments) > len(shorter.segments) and not shorter.open_ended:
            return False
        return bool(self.methods & other.methods) and _alike(shorter.segments, longer.segments)


def _alike(shorter: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Return whether two paths can be the same as far as the shorter one goes."""
    pairs = zip(shorter, longer, strict=False)
    return all(ONE in pair or pair[0] == pair[1] for pair in pairs)


@lru_cache(maxsize=1024)
def read_rule(text: str) -> PassingRule:
    """Read a rule.

    Raises:
        ValueError: it is none; the message goes on after the key's name.
    """
    methods, separated, path = text.rpartition(" ")
    named = frozenset(map(str.strip, methods.split(","))) if separated else frozenset(METHODS)
    if unknown := sorted(named - set(METHODS)):
        raise ValueError(f"names the method {unknown[0]!r}; known here: {', '.join(METHODS)}")
    if not path.startswith("/"):
        raise ValueError("must be a path that begins with '/', after its methods if it has some")
    if _WAY_HERE.match(path):
        raise ValueError("names the way to this proxy; only what follows '/v1' is compared")
    segments = tuple(path.removeprefix("/v1/").removeprefix("/").split("/"))
    open_ended = segments[-1] == ANY
    fixed = segments[:-1] if open_ended else segments
    for segment in fixed:
        if not _SEGMENT.fullmatch(segment) or segment in {".", ".."}:
            raise ValueError(
                f"has the segment {segment!r}; '*' stands for one whole segment, '**' for the end"
            )
    is_guarded = _ending(segments[-1]) in GUARDED_ENDINGS and segments not in UNGUARDED
    if is_guarded and not open_ended:
        raise ValueError(f"ends in {segments[-1]!r}, which is guarded and never handed through")
    return PassingRule(named, fixed, open_ended)


def _ending(segment: str) -> str:
    """Return what a server that minds neither case nor an ending takes a segment for."""
    return re.split(r"[^\w-]", segment.casefold(), maxsplit=1)[0]


def _checked_path(text: str) -> str:
    if len(text) > LONGEST_RULE_CHARS:
        raise ValueError(f"is longer than {LONGEST_RULE_CHARS} characters")
    read_rule(text)
    return text


PassingText: TypeAlias = Annotated[str, AfterValidator(_checked_path)]
"""A rule as a policy file spells it."""


def open_methods(rules: Iterable[str], segments: tuple[str, ...]) -> frozenset[str]:
    """Return the methods that rules open at a path; none where it is not handed through."""
    fitting = [rule.methods for rule in map(read_rule, rules) if rule.fits(segments)]
    found = frozenset[str]().union(*fitting)
    return found | {"HEAD"} if "GET" in found else found


def remarks_on_answers(rules: Iterable[str]) -> Iterator[Remark]:
    """Name the endpoints with answers of a model that rules open: an operator may want that."""
    for number, text in enumerate(rules):
        rule = read_rule(text)
        met = [known for known in _WITH_ANSWERS if rule.meets(read_rule(known))]
        if met:
            yield Remark(
                ("passthrough", number),
                f"lets answers out that no guard has seen: {'; '.join(met)}",
                refused=False,
            )


def carries_questions(rules: Iterable[str]) -> bool:
    """Return whether rules let bodies of requests through."""
    return any(read_rule(text).methods & {"POST", "PUT", "PATCH"} for text in rules)
