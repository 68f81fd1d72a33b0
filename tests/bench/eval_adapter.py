"""Adapter between the guards and a table of labelled cases: does a guard fire on a case?

Cases of B tell whether what is cited exists, not whether it carries the sentence; so codes that say
only the latter do not count there (``support=count`` among the options counts them too).
A case holds ``guard`` (E complaint, A answerability, B citation, D Korean only, G grounding, H
source extraction), ``question``, ``sources`` and ``answer``, or for H a chat ``request``.
"""

from typing import Any

from guards.answerability import doubt
from guards.core.exchange import Exchange, Source
from guards.core.finding import Severity
from guards.core.guard import run
from guards.core.reading import read
from guards.core.registry import all_guards
from policies.schema.policy import SourceRules
from proxy.openai_api.sources.finder import find_sources

GUARDS_OF = {
    "E": ("complaint",),
    "A": ("answerability",),
    "B": ("legal_citation", "citations"),
    "D": ("korean_only",),
    "G": (
        "numbers",
        "estimates",
        "contact",
        "transport",
        "names",
        "places",
        "scope",
        "negation",
        "conflict",
        "overlap",
        "quality",
    ),
}
ABOUT_SUPPORT = frozenset(
    {"citations.wrong_source", "citations.unsupported", "legal_citation.wrong_article"}
)
NOT_COUNTED: dict[str, frozenset[str]] = {"B": ABOUT_SUPPORT}
OPTIONS: dict[str, dict[str, object]] = {"answerability": {"evidence_always": True}}


def configure(options: dict[str, str]) -> None:
    """Choose what counts for B."""
    NOT_COUNTED["B"] = frozenset() if options.get("support") == "count" else ABOUT_SUPPORT


def check(case: dict[str, Any]) -> dict[str, object]:
    """Tell whether a strong finding of the case's guards stands."""
    exchange = Exchange(
        question=case["question"],
        sources=tuple(
            Source(str(number), source["section_title"] or "", source["section_content"])
            for number, source in enumerate(case["sources"], start=1)
        ),
        answer=case["answer"] or None,
    )
    reading = read(exchange)
    guards = [
        all_guards()[name](all_guards()[name].settings_type.model_validate(OPTIONS.get(name, {})))
        for name in GUARDS_OF[case["guard"]]
    ]
    reports = run(guards, reading)
    for report in reports:
        if report.error is not None:
            raise report.error
    strong = [
        found.score
        for report in reports
        for found in report.findings
        if found.severity is Severity.STRONG
        and found.code not in NOT_COUNTED.get(case["guard"], frozenset())
    ]
    score = doubt(reading) if case["guard"] == "A" else max(strong, default=0.0)
    return {"flag": bool(strong), "score": score}


def extract(case: dict[str, Any]) -> dict[str, object]:
    """Return the question and the sources that stand in a request."""
    found = find_sources(case["request"], SourceRules())
    return {
        "question": found.question,
        "sources": [
            {"section_title": source.title or source.file, "section_content": source.text}
            for source in found.sources
        ],
    }
