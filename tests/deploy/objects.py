"""Finds one's way in objects of Kubernetes and services of compose."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from tests.deploy.yaml_files import Fields

POD_OWNERS = frozenset({"Deployment", "StatefulSet"})


def at(place: JsonValue, way: str) -> JsonValue:
    """Return what is at the end of a way such as `spec.ports.0`; None if it does not go there."""
    for step in way.split("."):
        if isinstance(place, list) and step.isdigit() and int(step) < len(place):
            place = place[int(step)]
        elif isinstance(place, dict) and step in place:
            place = place[step]
        else:
            return None
    return place


def fields(place: JsonValue, way: str) -> Fields:
    """Return the fields at the end of a way; none where it does not go there."""
    found = at(place, way)
    return found if isinstance(found, dict) else {}


def each(place: JsonValue, way: str) -> list[Fields]:
    """Return the list of fields at the end of a way; empty where it does not go there."""
    found = at(place, way)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def texts(place: JsonValue, way: str) -> list[str]:
    """Return the list of words at the end of a way; empty where it does not go there."""
    found = at(place, way)
    return [str(one) for one in found] if isinstance(found, list) else []


def name_of(found: Fields) -> str:
    return str(at(found, "metadata.name"))


def deep(place: JsonValue, name: str) -> Iterator[JsonValue]:
    """Yield every value that stands under a name, however deep."""
    if isinstance(place, list):
        for one in place:
            yield from deep(one, name)
    elif isinstance(place, dict):
        for key, value in place.items():
            if key == name:
                yield value
            yield from deep(value, name)


def has_labels(labels: Mapping[str, JsonValue], wanted: Mapping[str, JsonValue]) -> bool:
    return bool(wanted) and wanted.items() <= labels.items()


def seconds(value: JsonValue) -> float:
    """Return a span of time as compose and nginx write it."""
    text = str(value)
    assert text.endswith("s"), text
    return float(text.removesuffix("s"))
