"""Builds a kustomization as far as those in `deploy/` go, without the program that does it.

Whatever it does not know it refuses, so that no file says what nobody looked at. That the program
itself comes to the same objects is shown where it is installed (`test_tools.py`).
"""

import copy
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from tests.deploy.yaml_files import Fields, document_in, documents_in

Objects = dict[tuple[str, str], Fields]
"""Objects by kind and name."""

CLUSTER_WIDE = frozenset({"Namespace"})


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Labels(_Shape):
    """Labels that each object gets, and nothing inside of it."""

    pairs: dict[str, str]
    includeSelectors: bool = Field(False)  # noqa: N815 - kustomize's own names
    includeTemplates: bool = Field(False)  # noqa: N815


class Options(_Shape):
    """How a generated object is made."""

    disableNameSuffixHash: bool  # noqa: N815


class ConfigMap(_Shape):
    """An object made of files."""

    name: str
    files: list[str]
    options: Options


class Target(_Shape):
    """What is patched."""

    kind: str
    name: str


class Patch(_Shape):
    """A list of operations (RFC 6902)."""

    path: str
    target: Target


class Image(_Shape):
    """Another name for an image."""

    name: str
    newName: str  # noqa: N815
    newTag: str  # noqa: N815


class Kustomization(_Shape):
    """A `kustomization.yaml`."""

    apiVersion: str  # noqa: N815
    kind: str
    namespace: str | None = None
    resources: list[str] = []
    labels: list[Labels] = []
    configMapGenerator: list[ConfigMap] = []  # noqa: N815
    patches: list[Patch] = []
    images: list[Image] = []


class Operation(_Shape):
    """One change of a patch."""

    op: str
    path: str
    value: JsonValue = None


def built(folder: Path) -> Objects:
    """Return the objects that a folder comes to."""
    asked = Kustomization.model_validate(document_in(folder / "kustomization.yaml"))
    objects: Objects = {}
    for name in asked.resources:
        place = (folder / name).resolve()
        _put(objects, built(place) if place.is_dir() else _read(place))
    for one in asked.configMapGenerator:
        _put(objects, _generated(folder, one))
    for patch in asked.patches:
        _patch(objects[patch.target.kind, patch.target.name], folder / patch.path)
    for found in objects.values():
        _name_images(
            found, {image.name: f"{image.newName}:{image.newTag}" for image in asked.images}
        )
        for labels in asked.labels:
            _metadata(found).setdefault("labels", {})
            _fields(_metadata(found)["labels"]).update(labels.pairs)
        if asked.namespace and found["kind"] not in CLUSTER_WIDE:
            _metadata(found)["namespace"] = asked.namespace
    return objects


def _put(objects: Objects, more: Objects) -> None:
    assert not objects.keys() & more.keys(), "two objects of one name"
    objects.update(copy.deepcopy(more))


def _read(path: Path) -> Objects:
    return {
        (str(found["kind"]), str(_metadata(found)["name"])): found for found in documents_in(path)
    }


def _generated(folder: Path, asked: ConfigMap) -> Objects:
    assert asked.options.disableNameSuffixHash
    files = {Path(name).name: (folder / name).read_text("utf-8") for name in asked.files}
    made: Fields = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": asked.name},
        "data": {**files},
    }
    return {("ConfigMap", asked.name): made}


def _patch(found: Fields, path: Path) -> None:
    for each in documents_in(path):
        for one in TypeAdapter(list[Operation]).validate_python(each):
            _apply(found, one)


def _apply(found: Fields, one: Operation) -> None:
    *way, last = one.path.removeprefix("/").split("/")
    place: JsonValue = found
    for step in way:
        place = _step(place, step)
    match place, one.op:
        case dict(), "add":
            place[last] = one.value
        case list(), "add":
            assert last == "-", one.path
            place.append(one.value)
        case dict(), "replace":
            assert last in place, one.path
            place[last] = one.value
        case list(), "replace":
            place[int(last)] = one.value
        case dict(), "remove":
            del place[last]
        case dict(), "test":
            assert place[last] == one.value, one.path
        case _:
            raise AssertionError(f"{one.op} {one.path} is not known here")


def _step(place: JsonValue, step: str) -> JsonValue:
    if isinstance(place, list):
        return place[int(step)]
    return _fields(place)[step]


def _name_images(place: JsonValue, names: Mapping[str, str]) -> None:
    """Give containers, however deep, the images of these names."""
    if isinstance(place, list):
        for one in place:
            _name_images(one, names)
    elif isinstance(place, dict):
        image = place.get("image")
        if isinstance(image, str):
            place["image"] = names.get(image.partition(":")[0], image)
        for inner in place.values():
            _name_images(inner, names)


def _metadata(found: Fields) -> Fields:
    return _fields(found["metadata"])


def _fields(value: JsonValue) -> Fields:
    assert isinstance(value, dict)
    return value
