"""What a policy may say about its judge."""

from policies.schema.base import Mode
from policies.schema.sections import JudgeKind
from tests.policies.conftest import Folder
from tests.tables import each_row

TENANT = """
extends: default
tenant: a
upstream:
  base_url: http://127.0.0.1:8000/v1
"""


@each_row("text, message", "refused")
def test_refuses(folder: Folder, text: str, message: str) -> None:
    folder.write("x.yaml", text)

    assert message in folder.only_error()


def test_its_defaults(folder: Folder) -> None:
    folder.write("x.yaml", f"{TENANT}judge:\n  base_url: http://h/v1/\n  model: m\n")

    judge = folder.load()["x"].policy.judge

    assert judge is not None
    assert (judge.kind, judge.mode, judge.limit_s) == (JudgeKind.CHAT, Mode.ENFORCE, 3.0)
    assert judge.base_url == "http://h/v1"


def test_one_line_asks_the_tenants_own_model_server(folder: Folder) -> None:
    folder.write("x.yaml", f"{TENANT}judge: {{}}\n")

    judge = folder.load()["x"].policy.judge

    assert judge is not None
    assert (judge.base_url, judge.model, judge.limit_s) == (None, "", 10.0)


NO_MODEL = "judge: asks the model of each request; a `/v1/verify` that names no model"
TOO_LATE = "judge: is asked at the end of an answer"


def remarks(folder: Folder, more: str) -> set[str]:
    folder.write("x.yaml", TENANT + more)
    return {said for said in (NO_MODEL, TOO_LATE) if any(said in one for one in folder.warnings())}


def test_what_one_line_leaves_open_is_pointed_out(folder: Folder) -> None:
    assert remarks(folder, "judge: {}\n") == {NO_MODEL, TOO_LATE}
    assert remarks(folder, "judge: {model: m}\nstream: {mode: buffer}\n") == set()
    assert remarks(folder, "judge: {mode: shadow}\n") == {NO_MODEL}
    assert remarks(folder, "judge: {mode: 'off'}\n") == set()


def test_no_judge_unless_one_is_named(folder: Folder) -> None:
    folder.write("x.yaml", TENANT)

    assert folder.load()["x"].policy.judge is None


def test_a_key_that_is_not_there_is_pointed_out(folder: Folder) -> None:
    folder.write(
        "x.yaml",
        f"{TENANT}judge:\n  base_url: http://h/v1\n  model: m\n  api_key_env: NOT_SET_ANYWHERE\n",
    )

    said = "judge.api_key_env: names the environment variable NOT_SET_ANYWHERE, which is not set"
    assert any(said in warning for warning in folder.warnings())
    assert any(said in error for error in folder.errors(require_env=True))


BARE = """
tenant: a
upstream: {base_url: "http://127.0.0.1:8000/v1"}
stream: {mode: buffer}
guards: {overlap: {mode: enforce, action: pass}}
judge: {base_url: "http://h/v1", model: m}
"""


def test_a_judge_that_acts_needs_a_template(folder: Folder) -> None:
    folder.write("x.yaml", BARE)

    assert "judge: can replace an answer and has no template" in folder.only_error()


@each_row("name", ["judge", "fallback"])
def test_its_own_template_or_the_fallback_will_do(folder: Folder, name: str) -> None:
    folder.write("x.yaml", f"{BARE}templates:\n  {name}: 다시 질문해 주세요.\n")

    assert folder.errors() == []
    assert not any("is called by no guard" in warning for warning in folder.warnings())


def test_one_in_shadow_needs_none(folder: Folder) -> None:
    folder.write("x.yaml", BARE.replace("model: m", "model: m, mode: shadow"))

    assert folder.errors() == []
