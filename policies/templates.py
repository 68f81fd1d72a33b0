"""Reply templates: choice, rendering, and recognition in earlier answers.

A template knows five variables (see `Facts`): ``reason``, one sentence on why the answer before
this one failed, made for replies to complaints; ``sources``, the titles of the request's sources;
``codes``, the codes of the findings; ``wrong``, for a correction, wrong sentences that were sent;
and ``quotes``, for a direct answer, sentences of the sources. They never contain the user's words.

It is text in a part of Jinja: the variables, ``if``, ``for`` (no loop inside a loop), slices such
as ``sources[:3]``, comparisons, and the filters of `FILTERS`. There are no calls, no arithmetic and
no macros, so that a template ends soon whatever it says, and what it wrote can be recognised.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import re2
from jinja2 import StrictUndefined, Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

from guards.core.exchange import Exchange, Source
from policies.patterns import OWN_PATTERN_MEMORY_BYTES, Pattern
from policies.schema.policy import Policy

VARIABLES = ("reason", "sources", "codes", "wrong", "quotes")
FILTERS = frozenset({"join", "length", "trim"})
LOOP_ATTRIBUTES = frozenset({"index", "first", "last", "length"})
ALLOWED = (
    *(nodes.Template, nodes.TemplateData, nodes.Output, nodes.Name, nodes.Const),
    *(nodes.If, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not),
    *(nodes.For, nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Filter),
)

# The replies are plain text and Markdown, not HTML: escaping would garble them.
ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """Values that a template may use.

    Attributes:
        reason: One sentence on why the answer before this one failed; may be empty.
        sources: Titles of the request's sources, one line each; may be empty.
        codes: Codes of the findings that led here; may be empty.
        wrong: Wrong sentences of the answer that have been sent; empty for all templates but a
            correction.
        quotes: Sentences of the sources, those of each source together with its name; empty for
            all other templates than a direct answer.
    """

    reason: str = ""
    sources: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


class BadTemplate(ValueError):
    """A reply template cannot be used."""


def rendered(template: Template, facts: Facts) -> str:
    """Return a template's text without blanks around it."""
    return template.render(
        reason=facts.reason,
        sources=list(facts.sources),
        codes=list(facts.codes),
        wrong=list(facts.wrong),
        quotes=list(facts.quotes),
    ).strip()


@lru_cache(maxsize=1024)
def compiled(source: str) -> Template:
    """Compile a template and try it out on every kind of facts.

    Raises:
        BadTemplate: it is not well-formed, uses what templates may not use, or writes nothing.
    """
    try:
        for problem in _problems(parsed(source)):
            raise BadTemplate(problem)
        template = ENVIRONMENT.from_string(source)
    except (RecursionError, SyntaxError) as error:
        raise BadTemplate("is nested too deep") from error
    for facts in _samples():
        try:
            text = rendered(template, facts)
        except (UndefinedError, SecurityError, TypeError, ValueError) as error:
            raise BadTemplate(f"cannot be rendered: {error}") from error
        if not text:
            raise BadTemplate(f"writes nothing when it is given {facts}")
    return template


def parsed(source: str) -> nodes.Template:
    """Return a template's syntax tree.

    Raises:
        BadTemplate: it is not well-formed.
    """
    try:
        return ENVIRONMENT.parse(source)
    except TemplateSyntaxError as error:
        raise BadTemplate(f"is no Jinja template: {error.message} (its line {error.lineno})") from (
            error
        )


def _problems(tree: nodes.Template) -> Iterator[str]:
    # First of all: Jinja works out constants such as 'a' * 999999999 while it looks for names.
    for node in tree.find_all(nodes.Node):
        problem = _problem(node)
        if problem:
            yield f"may not use {problem} (its line {node.lineno})"
    for unknown in sorted(find_undeclared_variables(tree) - set(VARIABLES)):
        yield f"does not know {unknown!r}; templates know {', '.join(VARIABLES)}"


def _problem(node: nodes.Node) -> str:
    if not isinstance(node, ALLOWED):
        return f"{type(node).__name__.lower()} here"
    if isinstance(node, nodes.For) and (node.recursive or any(node.find_all(nodes.For))):
        return "a loop inside a loop"
    if isinstance(node, nodes.Filter) and node.name not in FILTERS:
        return f"the filter {node.name!r}; there are {', '.join(sorted(FILTERS))}"
    if isinstance(node, nodes.Getitem) and not isinstance(node.arg, nodes.Slice):
        return "a single item, which may not be there; take a slice or a loop"
    if isinstance(node, nodes.Getattr) and not _is_about_loop(node):
        return f"the attribute {node.attr!r}"
    return ""


def _is_about_loop(node: nodes.Getattr) -> bool:
    is_loop = isinstance(node.node, nodes.Name) and node.node.name == "loop"
    return is_loop and node.attr in LOOP_ATTRIBUTES


def _samples() -> Iterator[Facts]:
    reasons = ("", "관련 문서를 찾지 못했습니다.")
    titles = ((), ("취업규칙 제10조",), tuple(f"자료 {number}" for number in range(1, 8)))
    codes = ((), ("numbers.not_in_sources",), ("numbers.not_in_sources", "estimates.unsupported"))
    wrong = ((), ("배송비는 3,000원입니다.",))
    quotes = ((), ("“배송비는 3,000원입니다.”\n(출처: 배송 안내)",))
    for said in product(reasons, titles, codes, wrong, quotes):
        yield Facts(*said)


FEWEST_FIXED_CHARS = 12
"""A template that always says less than this could be found in anybody's words."""
LONGEST_TEXT_CHARS = 20_000
BLANKS = r"[\pZ\p{Cc}]*"


@dataclass(frozen=True, slots=True)
class Print:
    """Fixed parts of a template that its texts contain.

    Attributes:
        fixed_chars: Characters, blanks aside, that stand in every text of the template.
    """

    pattern: Pattern
    fixed_chars: int

    def is_in(self, text: str) -> bool:
        """Return whether the template wrote the text, or a part of it."""
        if self.fixed_chars < FEWEST_FIXED_CHARS:
            return False
        return self.pattern.is_in(text[:LONGEST_TEXT_CHARS])


@lru_cache(maxsize=1024)
def print_of(source: str) -> Print:
    """Return what a template leaves in its texts."""
    pattern, fixed_chars = _all(parsed(source).body)
    inner = pattern.removeprefix(BLANKS).removesuffix(BLANKS)
    compiled = Pattern(inner, ignore_case=False, memory_bytes=OWN_PATTERN_MEMORY_BYTES)
    return Print(compiled, fixed_chars)


_Piece = tuple[str, int]


def _all(body: Sequence[nodes.Node]) -> _Piece:
    pieces = [_piece(node) for node in body]
    return "".join(pattern for pattern, _ in pieces), sum(fixed for _, fixed in pieces)


def _piece(node: nodes.Node) -> _Piece:
    if isinstance(node, nodes.Output):
        return _all(node.nodes)
    if isinstance(node, nodes.TemplateData):
        return _words(node.data)
    if isinstance(node, nodes.If):
        return _either([node.body, *(other.body for other in node.elif_), node.else_])
    if isinstance(node, nodes.For):
        pattern, _ = _either([node.body, node.else_])
        return f"{pattern}*", 0
    return ".*", 0


def _either(bodies: Sequence[Sequence[nodes.Node]]) -> _Piece:
    pieces = [_all(body) for body in bodies]
    patterns = "|".join(pattern for pattern, _ in pieces)
    return f"(?:{patterns})", min(fixed for _, fixed in pieces)


def _words(text: str) -> _Piece:
    pattern = BLANKS.join(re2.escape(word) for word in re.split(r"\s+", text))
    return pattern, len("".join(text.split()))


_EMPHASIS = re.compile(r"[*`]+|</?(?:a|b|code|em|font|i|mark|span|strong|sub|sup|u)\b[^<>]*>")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|\[\^[^\[\]\s]+\]")
_MARKUP = re.compile(
    r"\|+|</?[A-Za-z][^<>]*>"
    r"|^[\s>]*(?:#{1,6}\s|[-+•·∙▪◦○●■□◆◇▶▷►※✓✔ㅇㆍ]\s*|[QA][.:)]\s)+"
)


def plain_line(text: str) -> str:
    """Return a piece of a text in one line, without marks of emphasis, links, lists, tables."""
    read = _LINK.sub(r"\1", _EMPHASIS.sub("", text))
    return " ".join(_MARKUP.sub(" ", read).split())


FALLBACK = "fallback"
CUT = "closing.cut"
"""Ends an answer of which the rest may not go out."""
CORRECTION = "closing.correction"
"""Ends an answer of which something has been sent that should not have."""
DIRECT_ANSWER = "direct_answer"
"""Stands before sentences of the sources that answer by themselves."""
DEFAULT_REASON = "default"
LONGEST_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply in place of an answer."""

    template: str
    text: str


class ReplyTemplates:
    """The reply templates of one policy, compiled once.

    Raises:
        BadTemplate: a template cannot be used; the loader refuses such a policy first.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._templates = {name: compiled(text) for name, text in policy.templates.items()}
        prints = [(name, print_of(text)) for name, text in policy.templates.items()]
        self._prints = sorted(prints, key=lambda each: each[1].fixed_chars, reverse=True)

    def reply(self, guard: str, codes: Sequence[str], exchange: Exchange) -> Reply:
        """Write the reply that a guard's findings call for.

        Raises:
            KeyError: the policy has no template for this guard; the loader refuses such a policy
                for every guard that can replace an answer.
        """
        name = self.name_for(guard, codes[0] if codes else None)
        return self._reply(name, codes, exchange)

    def closing(self, wrong: Sequence[str], codes: Sequence[str], exchange: Exchange) -> Reply:
        """Write what ends an answer that has begun to leave and must not go on.

        Args:
            wrong: What has been sent and is wrong; empty if it is only what has not.
            codes: Codes of the findings, the leading one first.

        Raises:
            KeyError: the policy has no template for it; the loader refuses such a policy.
        """
        wanted = CORRECTION if wrong else CUT
        name = wanted if wanted in self._templates else FALLBACK
        return self._reply(name, codes, exchange, tuple(wrong))

    def _reply(
        self, name: str, codes: Sequence[str], exchange: Exchange, wrong: tuple[str, ...] = ()
    ) -> Reply:
        facts = Facts(
            reason=self.reason_for(exchange),
            sources=tuple(filter(None, map(_title, exchange.sources))),
            codes=tuple(codes),
            wrong=tuple(map(plain_line, wrong)),
        )
        return Reply(name, rendered(self._templates[name], facts))

    def name_for(self, guard: str, code: str | None) -> str:
        """Return the template for a finding: its code, the rule's, the guard's, the fallback.

        Raises:
            KeyError: the policy has none of them.
        """
        rule = self._policy.guards.get(guard)
        for name in (code, rule.template if rule else None, guard, FALLBACK):
            if name is not None and name in self._templates:
                return name
        raise KeyError(f"no template for {guard}")

    def reason_for(self, exchange: Exchange) -> str:
        """Return the sentence on why the previous answer failed; empty if nothing is known."""
        reasons = self._policy.reasons
        for name in _failures(exchange.last_error_reason, self.recognise(exchange.previous_answer)):
            if name in reasons:
                return reasons[name]
        # A second complaint in a row: the reply to the first one already named the reason.
        for sentence in reasons.values():
            if sentence in exchange.previous_answer:
                return sentence
        return reasons.get(DEFAULT_REASON, "")

    def recognise(self, previous_answer: str) -> str | None:
        """Return the name of the template that an earlier answer was rendered from, if any.

        Of several that fit, the one that always says the most. Linear in the answer's length.
        """
        for name, mark in self._prints:
            if mark.is_in(previous_answer):
                return name
        return None


def direct_reply(policy: Policy, quotes: Sequence[str]) -> str:
    """Write the reply that consists of sentences of the sources.

    Args:
        policy: Its template introduces them; without one they stand alone.
        quotes: The sentences, those of each source together with its name.
    """
    template = policy.templates.get(DIRECT_ANSWER)
    if template is None:
        return "\n\n".join(quotes)
    return rendered(compiled(template), Facts(quotes=tuple(quotes)))


def _failures(said: str | None, template: str | None) -> list[str]:
    """Return the names under which a failure may stand in `reasons`, the most exact first."""
    names: list[str] = []
    for name in (said, template):
        if name:
            exact = name.strip().lower().replace("-", "_").replace(" ", "_")
            names += [name, exact, exact.split(".")[0]]
    return names


def _title(source: Source) -> str:
    """Return what to call a source in one line."""
    return plain_line(source.title or source.file)[:LONGEST_TITLE_CHARS]
