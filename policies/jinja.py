"""The part of Jinja that reply templates may use.

A template is text with the variables of `VARIABLES`, ``if``, ``for`` (no loop inside a loop),
slices such as ``sources[:3]``, comparisons, and the filters of `FILTERS`. There are no calls, no
arithmetic and no macros, so that a template ends soon whatever it says, and what it wrote can be
recognised.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import ImmutableSandboxedEnvironment

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
