"""The section `citations` of a policy: how they are asked for, and what may be mended."""

from enum import StrEnum

from pydantic import Field

from policies.shape import Shape


class Renumber(StrEnum):
    """When the numbers of an answer's citations may change."""

    AUTO = "auto"
    """Where the answer has, or gets, a list that says what its numbers mean."""
    ALWAYS = "always"
    NEVER = "never"


class ReferenceList(StrEnum):
    """What becomes of the list of sources at the end of an answer."""

    OWN = "own"
    """The list that an answer has is kept true to its marks."""
    ALWAYS = "always"
    """An answer that cites and has no list also gets one."""
    NEVER = "never"


class CitationRules(Shape):
    """How citations are asked for, and what is done beside mending the wrong ones."""

    instruct: bool = Field(
        False,
        description="Add our own citation prompt, with the numbered sources, to the first system "
        "message. Not where the request asks for JSON or carries no sources.",
    )
    renumber: Renumber = Field(
        Renumber.AUTO,
        description="Close the gaps in the numbers when a citation was taken out. auto: only "
        "where the answer has a list of its sources or footnotes, or gets one by `references: "
        "always`; such an answer does not leave before its end, where `stream.mode: gate` knows it "
        "by its marks [†1], and keeps its numbers otherwise; elsewhere a number is the app's own "
        "name for a source. always: everywhere, with a list written where there is none. never: "
        "numbers stay. No number changes without a list that says what it means then.",
    )
    references: ReferenceList = Field(
        ReferenceList.OWN,
        description="The list of sources at the end. own: a list that the answer has is kept true "
        "to its marks when they change. always: an answer that cites and has none also gets one. "
        "never: it is left alone, and so are the numbers.",
    )
