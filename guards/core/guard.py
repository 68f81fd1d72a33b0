"""The base class of guards: what each declares, and the one method it implements."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from guards.core.finding import Finding
from guards.core.reading import Reading, RequestReading


class Stage(StrEnum):
    """Stage at which a guard runs."""

    INPUT = "input"
    """Before the model is asked."""
    OUTPUT = "output"
    """After the model has answered."""


class Scope(StrEnum):
    """Part of an answer that a guard must see."""

    SEGMENT = "segment"
    """The answer up to the end of a sentence so far; findings that may change are `provisional`."""
    ANSWER = "answer"
    """All of it: of less, its findings say nothing."""


class GuardSettings(BaseModel):
    """Options of a guard in a policy; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


SettingsT = TypeVar("SettingsT", bound=GuardSettings)


@dataclass(frozen=True, slots=True)
class Label:
    """A short name for operators, as the dashboard shows it.

    Attributes:
        en: English.
        ko: Korean.
    """

    en: str
    ko: str


class Subject(StrEnum):
    """Matter of a guard: policies and reports treat guards by it, never by their names."""

    CLAIMS = "claims"
    """Claims of any other kind, compared with the sources."""
    FIGURES = "figures"
    PROVISIONS = "provisions"
    CONTACTS = "contacts"
    ROUTES = "routes"
    CITATIONS = "citations"
    """Marks that name the source of a claim."""
    PERSONAL_DATA = "personal_data"
    FORM = "form"
    """Form of the answer: says nothing on whether its claims are true."""
    QUESTION = "question"
    """The question and its sources, not the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One kind of finding, with all that anybody is shown about it.

    Attributes:
        label: Short name, for lists and the dashboard.
        meaning: One sentence for the reference, in English.
        message: What is wrong with the words found, for a report in Korean: a clause without a full
            stop. Empty: the report words it by the finding's strength.
        instruction: What a model is told that is asked again, in Korean. ``{observed}`` and
            ``{expected}`` stand for the finding's own words, ``{observed:은}`` for the particle
            that fits behind them. Empty for kinds that never lead to a second attempt.
        without_value: The same without ``{expected}``, for kinds that expect a value of the
            sources: said where it is not certain that the value is of the thing asked about.
    """

    label: Label
    meaning: str
    message: str = ""
    instruction: str = ""
    without_value: str = ""


class Guard(ABC, Generic[SettingsT]):
    """One check. A plain synchronous function of a reading: no I/O, no clock, no randomness.

    Attributes:
        id: The file's name; findings and policies call it so.
        label: Its name for operators.
        subject: What its findings are about.
        stages: When it runs.
        scope: How much of the answer it must see.
        needs_sources: It compares with the sources: without any it does not run.
        settings_type: Its options.
        codes: Every kind of finding it can report, by code.
    """

    id: ClassVar[str]
    label: ClassVar[Label]
    subject: ClassVar[Subject] = Subject.CLAIMS
    stages: ClassVar[frozenset[Stage]]
    scope: ClassVar[Scope] = Scope.ANSWER
    needs_sources: ClassVar[bool] = False
    settings_type: ClassVar[type[GuardSettings]]
    codes: ClassVar[Mapping[str, Code]]

    def __init__(self, settings: SettingsT) -> None:
        self.settings = settings

    def runs_at(self, stage: Stage) -> bool:
        """Tell whether it runs at a stage; a guard's options may leave out one of its stages."""
        return stage in self.stages

    def not_checkable(self, reading: Reading) -> str | None:
        """Return why this exchange cannot be checked (``no_sources``, …), or None if it can."""
        if reading.answer is None and Stage.INPUT not in self.stages:
            return "no_answer"
        return "no_sources" if self.needs_sources and not reading.sources else None

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read what checks of any answer to a request need; pause after each piece.

        What is read is kept with the request or its sources, so that it is there when the answer
        is. A check reads for itself what was not read ahead.
        """
        del request
        yield from ()

    @abstractmethod
    def check(self, reading: Reading) -> list[Finding]:
        """Report what is wrong. Called only if `not_checkable` gave None."""
