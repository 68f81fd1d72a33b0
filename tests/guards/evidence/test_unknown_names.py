from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.evidence.unknown_names import UnknownName, unknown_name
from tests.tables import each_row

Passage = tuple[str, list[str]]


def unknown(question: str, passages: list[Passage]) -> UnknownName | None:
    sources = (
        Source(str(number), title, "\n".join(sentences))
        for number, (title, sentences) in enumerate(passages)
    )
    return unknown_name(question, SourceSet(tuple(sources)))


@each_row("question, passages, name", "unknown")
def test_finds_a_name_that_no_source_knows(
    question: str, passages: list[Passage], name: str
) -> None:
    found = unknown(question, passages)

    assert found is not None
    assert found.name == name
    assert found.known
    assert name not in found.known


@each_row("question, passages", "known_or_no_name")
def test_finds_none(question: str, passages: list[Passage]) -> None:
    assert unknown(question, passages) is None
