"""An entry of the section `guards` of a policy: what a tenant wants of one guard."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from policies.schema.base import Mode, Shape


class Action(StrEnum):
    """Action taken on an answer, mildest first."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FIX = "fix"
    TRIM = "trim"
    REGENERATE = "regenerate"
    REPLACE = "replace"

    @property
    def rank(self) -> int:
        """0 for the mildest; a higher rank overrules a lower one."""
        return _RANKS[self]


_RANKS = {action: rank for rank, action in enumerate(Action)}


class OnNotRun(StrEnum):
    """Treatment of an answer when a guard fails."""

    REPORT = "report"
    """Let the answer out and say that it was not checked."""
    REPLACE = "replace"
    """No answer leaves without this check."""


class GuardRule(Shape):
    """Settings of one guard in a policy."""

    mode: Mode = Field(
        Mode.ENFORCE,
        description="enforce: findings act. shadow: they are traced as `would_act` and change "
        "nothing. off: the guard does not run.",
    )
    action: Literal[Action.PASS, Action.TRIM, Action.REGENERATE, Action.REPLACE] = Field(
        Action.REGENERATE,
        description="What a strong finding does first. `regenerate` falls to `final` when the one "
        "second attempt is used up or not possible, `trim` where too little would be left; "
        "guards on the question always `replace`.",
    )
    final: Literal[Action.PASS, Action.TRIM, Action.REPLACE] = Field(
        Action.REPLACE,
        description="What a strong finding does when no second attempt is left. `trim` takes its "
        "sentences out, or replaces the answer where too little would be left.",
    )
    fix: bool = Field(
        True, description="Mend in place what the guard can mend for sure, before anything else."
    )
    weak: tuple[str, ...] = Field(
        (),
        description="Codes of this guard, such as `overlap.unsupported`, whose findings never act: "
        "they are noted and lower the confidence, and no answer with one is called verified. `[]` "
        "lets all codes act that an inherited policy lists.",
    )
    on_not_run: OnNotRun = Field(
        OnNotRun.REPORT, description="What it means for the answer when the guard itself breaks."
    )
    template: str | None = Field(
        None, description="Name of the reply template; by default the guard's own name."
    )
    options: dict[str, Any] = Field(
        default_factory=dict, description="The guard's own options; see the table of guards."
    )

    @property
    def can_replace(self) -> bool:
        """True if it may end in a template: `trim` does too, where too little would remain."""
        if self.mode is not Mode.ENFORCE:
            return False
        if self.on_not_run is OnNotRun.REPLACE or self.action is Action.REPLACE:
            return True
        return self.action is not Action.PASS and self.final is not Action.PASS
