"""Reads the image's Dockerfile, as far as it goes."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from tests.deploy.yaml_files import DEPLOY

ROOT = DEPLOY.parent
DOCKERFILE = DEPLOY / "Dockerfile"


@dataclass(frozen=True)
class Step:
    """One instruction: its name, and what stands behind it."""

    name: str
    said: str

    @property
    def words(self) -> list[str]:
        """What stands behind it as the words of a command, in brackets or not."""
        if self.said.startswith("["):
            found: list[str] = json.loads(self.said)
            return found
        return shlex.split(self.said)


@dataclass
class Stage:
    """What begins with a `FROM`."""

    base: str
    steps: list[Step] = field(default_factory=list)

    def all(self, name: str) -> list[Step]:
        return [step for step in self.steps if step.name == name]

    def last(self, name: str) -> Step:
        return self.all(name)[-1]

    @property
    def environment(self) -> Mapping[str, str]:
        """What `ENV` sets, all together."""
        pairs = (word.partition("=") for step in self.all("ENV") for word in step.words)
        return {name: value for name, _, value in pairs}

    @property
    def copies(self) -> Iterator[tuple[str, str]]:
        """What is copied out of the context, and where to."""
        for step in self.all("COPY"):
            *sources, target = step.words
            if not sources[0].startswith("--"):
                yield from ((source, target) for source in sources)


def stages() -> list[Stage]:
    """Return the stages in their order."""
    text = "\n".join(
        line
        for line in DOCKERFILE.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    )
    found: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        name, _, said = line.partition(" ")
        if name == "FROM":
            found.append(Stage(said))
        elif found:
            found[-1].steps.append(Step(name, said.strip()))
    return found


def defaults() -> Mapping[str, str]:
    """Return the values of the arguments that have one."""
    found = re.findall(r"^ARG (\w+)=(\S+)$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)
    return dict(found)


def context() -> list[Path]:
    """Return the files that the builder gets by `.dockerignore`; its last rule that fits counts."""
    rules = [
        (not line.startswith("!"), line.removeprefix("!"))
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    # What is large and left out as a whole need not be walked through.
    tops = {rule.partition("/")[0] for left_out, rule in rules if not left_out}
    files = (path for top in sorted(tops) for path in _files(ROOT / top))
    return [path for path in files if not _is_left_out(path.relative_to(ROOT), rules)]


def _files(top: Path) -> Iterator[Path]:
    if top.is_file():
        yield top
    yield from (path for path in top.rglob("*") if path.is_file())


def _is_left_out(path: Path, rules: list[tuple[bool, str]]) -> bool:
    names = [str(path), *map(str, path.parents)]
    left_out = False
    for leaves_out, rule in rules:
        if any(_fits(PurePosixPath(name), rule) for name in names):
            left_out = leaves_out
    return left_out


def _fits(path: PurePosixPath, rule: str) -> bool:
    """A star stops at a slash, as `Path.match` has it; `**/` stands for any way."""
    anywhere = rule.removeprefix("**/")
    if anywhere != rule:
        return fnmatch(path.name, anywhere)
    return len(path.parts) == len(PurePosixPath(rule).parts) and path.match(rule)
