"""A guard is named in its own file: everybody who shows it reads its words there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding-a-guard.md"
GUARD, _ = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
# In a process of its own, so that no other test sees the guard.
SHOW = """
import json, sys
import guards
guards.__path__.append(sys.argv[1])
from guards.core.exchange import Exchange, Source
from guards.core.reading import read
from guards.core.registry import all_guards
from policies.judging.regate import is_grounding
from policies.codes import message
from proxy.dashboard.page import Assets, Renderer
from proxy.dashboard.page import Language
from proxy.views.words import code_word
from proxy.pipeline.regeneration import note
from tests.reference import guard_sections
guard = all_guards()["exclamations"]
exchange = Exchange(question="?", sources=(Source("1", "", "좋습니다."),), answer="정말 좋아요!!!")
[finding] = guard(guard.settings_type()).check(read(exchange))
renderer = Renderer(Assets())
shown = {
    language.value: renderer.environment(language)
    .from_string("{{ _(guard_word(guard)) }}: {{ _(code_word(code)) }}")
    .render(guard=finding.guard, code=finding.code, code_word=code_word)
    for language in Language
}
print(json.dumps({
    **shown,
    "issue": message(finding),
    "note": note([finding], 5),
    "grounding": str(is_grounding(finding)),
    "table": guard_sections(),
}))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("guards")
    (folder / "exclamations.py").write_text(GUARD, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", SHOW, str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    sources: dict[str, str] = json.loads(run.stdout)
    return sources


def test_the_dashboard_has_it_in_both_languages(shown: dict[str, str]) -> None:
    assert shown["en"] == "Exclamation marks: Several exclamation marks"
    assert shown["ko"] == "느낌표: 느낌표를 거듭 씀"


def test_a_verification_names_it_in_korean(shown: dict[str, str]) -> None:
    assert shown["issue"] == '느낌표: "!!!" - 느낌표를 거듭 썼습니다'


def test_a_second_attempt_is_given_its_instruction(shown: dict[str, str]) -> None:
    assert "쓰지 말고 마침표로 문장을 끝내세요." in shown["note"]


def test_a_judge_weighs_it_by_its_subject(shown: dict[str, str]) -> None:
    assert shown["grounding"] == "False"


def test_the_reference_lists_it(shown: dict[str, str]) -> None:
    assert "## exclamations\n\nRuns of exclamation marks." in shown["table"]
    assert "Several exclamation marks · 느낌표를 거듭 씀" in shown["table"]
