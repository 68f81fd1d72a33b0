"""Fields of the request with sources: ``guard.sources``, ``documents`` and ``sources``."""

from collections.abc import Mapping

from pydantic import JsonValue

from proxy.openai_api.sources.found import Passage, SourceFormatError
from proxy.openai_api.sources.records import passages_of_list

_FIELD = "guard.sources"
_EVIDENCE_FIELDS = ("documents", "sources")


def exact_sources(body: Mapping[str, JsonValue]) -> tuple[Passage, ...] | None:
    """Return the sources that the caller gave exactly; None if it gave none.

    An empty list says that retrieval found nothing.

    Raises:
        SourceFormatError: a wrong type or value; it names the field.
    """
    guard = body.get("guard")
    if guard is None:
        return None
    if not isinstance(guard, dict):
        raise SourceFormatError("guard", "must be an object")
    given = guard.get("sources")
    if given is None:
        return None
    if not isinstance(given, list):
        raise SourceFormatError(_FIELD, "must be an array")
    passages = tuple(_exact(f"{_FIELD}[{at}]", item) for at, item in enumerate(given))
    _check_names(passages)
    return passages


def _exact(place: str, item: JsonValue) -> Passage:
    if not isinstance(item, dict):
        raise SourceFormatError(place, "must be an object")
    content = item.get("section_content")
    if not isinstance(content, str):
        raise SourceFormatError(f"{place}.section_content", "must be a string")
    return Passage(
        text=content.strip(),
        title=_string(item, "section_title", place),
        file=_string(item, "file", place),
        page=_page(item.get("page"), f"{place}.page"),
        score=_score(item.get("score"), f"{place}.score"),
        name=_name(item.get("id"), f"{place}.id"),
    )


def _string(item: Mapping[str, JsonValue], key: str, place: str) -> str:
    value = item.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SourceFormatError(f"{place}.{key}", "must be a string")
    return value.strip()


def _page(value: JsonValue | None, field: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise SourceFormatError(field, "must be an integer")
    return value


def _score(value: JsonValue | None, field: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SourceFormatError(field, "must be a number")
    if not 0 <= value <= 1:
        raise SourceFormatError(field, "must be from 0 to 1")
    return float(value)


def _name(value: JsonValue | None, field: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise SourceFormatError(field, "must be a string or an integer")
    return str(value).strip()


def _check_names(passages: tuple[Passage, ...]) -> None:
    """A name that two sources share could not be cited."""
    seen: set[str] = set()
    for at, passage in enumerate(passages):
        name = passage.name or str(at + 1)
        if name in seen:
            raise SourceFormatError(f"{_FIELD}[{at}].id", f"{name!r} names two sources")
        seen.add(name)


def evidence_field(
    body: Mapping[str, JsonValue],
) -> tuple[str, tuple[Passage, ...]] | None:
    """Return the field ``documents``, else ``sources``, and its passages; None if there is none.

    It is a list of strings or of objects with the text beside the title or under ``data``. A list
    of single words names something else, such as where to search.
    """
    for name in _EVIDENCE_FIELDS:
        given = body.get(name)
        if isinstance(given, list) and not (given and all(map(_is_word, given))):
            return name, passages_of_list(given)
    return None


def _is_word(value: JsonValue) -> bool:
    return isinstance(value, str) and len(value.split()) == 1
