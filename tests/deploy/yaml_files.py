"""Reads and writes YAML as the files in `deploy/` are written."""

from io import StringIO
from pathlib import Path

from pydantic import JsonValue
from ruamel.yaml import YAML

DEPLOY = Path(__file__).parents[2] / "deploy"

Fields = dict[str, JsonValue]


def documents(text: str) -> list[Fields]:
    """Return the documents of a text, as plain values."""
    return [document for document in YAML(typ="safe").load_all(text) if document is not None]


def documents_in(path: Path) -> list[Fields]:
    """Return the documents of a file."""
    return documents(path.read_text("utf-8"))


def document_in(path: Path) -> Fields:
    """Return the one document of a file."""
    [document] = documents_in(path)
    return document


def written(document: Fields) -> str:
    """Return a document as YAML, its keys in their order."""
    yaml = YAML(typ="rt")
    yaml.default_flow_style = False
    yaml.width = 10_000
    yaml.indent(mapping=2, sequence=4, offset=2)
    text = StringIO()
    yaml.dump(document, text)
    return text.getvalue()
