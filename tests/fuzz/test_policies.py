"""Any file is a policy that can be used, or what is wrong with it is named with its place."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policies.schema.base import PolicyError
from policies.schema.loader import LoadedPolicy, load_text
from tests.fuzz.mutating import mutated

# Where YAML ends lines.
LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
SHIPPED = Path(__file__).parents[2] / "policies"
SEEDS = [path.read_bytes() for path in sorted((SHIPPED / "examples").glob("*.yaml"))] + [
    b"extends: default\ntenant: t\nupstream: {base_url: 'http://127.0.0.1:1/v1'}\n",
    b"extends: strict\nguards: {numbers: {mode: shadow}, citations: {mode: off}}\n",
]
TOKENS = [
    b": ",
    b"- ",
    b"\n",
    b"\n  ",
    b"\t",
    b"{",
    b"}",
    b"[",
    b"]",
    b"&a ",
    b"*a",
    b"<<: *a\n",
    b"!!python/object:os.system",
    b"!!binary ",
    b"? ",
    b"| ",
    b"> ",
    b"'",
    b'"',
    b"#",
    b"---\n",
    b"...\n",
    b"%YAML 1.1\n",
    b"null",
    b"off",
    b"1e400",
    b".inf",
    b"0x1F",
    b"2026-01-01",
    b"{{ x",
    b"{% for x in range(9**9) %}",
    b"(a+)+$",
    b"\\p{Hangul}",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xc2\x85",
    b"extends: ",
    b"shadow_policy: ",
    b"tenant: ",
    b"keys: ",
    b"intents:\n",
    b"guards: ",
    b"[" * 500,
    b"{a: " * 300,
    b"  " * 400,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("policies")


@given(raw=mutated(SEEDS, TOKENS))
def test_a_draft_is_read_or_its_faults_are_named(folder: Path, raw: bytes) -> None:
    _read(raw.decode("utf-8", "surrogateescape"), folder)


@given(text=st.text(max_size=60))
def test_a_text_of_no_kind_is_read_or_its_faults_are_named(folder: Path, text: str) -> None:
    _read(text, folder)


def _read(text: str, folder: Path) -> None:
    try:
        loaded = load_text(text, "draft", folder)
    except PolicyError as error:
        refused = error
    else:
        assert isinstance(loaded, LoadedPolicy)
        assert loaded.version
        return
    lines = len(LINE_END.findall(text)) + 1
    assert refused.problems
    for problem in refused.problems:
        assert problem.message
        assert problem.place.line <= lines or "draft" not in problem.place.file
