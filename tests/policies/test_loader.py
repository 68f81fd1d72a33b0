import pytest

from policies.schema.base import Mode
from policies.schema.keys import new_key
from tests.policies.conftest import Folder
from tests.tables import each_row

SERVING = """
upstream:
  base_url: http://127.0.0.1:8000/v1
guards:
  korean_only: {mode: enforce}
templates:
  fallback: 지금은 답변드릴 수 없습니다. 나중에 다시 시도해 주세요.
"""


def test_a_file_becomes_a_policy_named_after_it(folder: Folder) -> None:
    path = folder.write("acme-bot.yaml", "tenant: acme" + SERVING)

    [(name, loaded)] = folder.load().items()

    assert (name, loaded.name, loaded.path) == ("acme-bot", "acme-bot", str(path))
    assert loaded.policy.tenant == "acme"
    assert loaded.policy.guards["korean_only"].mode is Mode.ENFORCE


def test_off_is_a_word(folder: Folder) -> None:
    folder.write("base.yaml", "guards: {korean_only: {mode: off}}")

    assert folder.load()["base"].policy.guards["korean_only"].mode is Mode.OFF


def test_hidden_files_folders_and_other_endings_are_passed_over(folder: Folder) -> None:
    folder.write("kept.yml", "report: true")
    folder.write(".kept.yaml.swp", "not: [yaml")
    folder.write(".hidden.yaml", "not: [yaml")
    folder.write("notes.txt", "not: [yaml")
    (folder.path / "folder.yaml").mkdir()

    assert list(folder.load()) == ["kept"]


# --- extends --------------------------------------------------------------------------------------


def test_maps_merge_and_lists_and_plain_values_replace(folder: Folder) -> None:
    folder.write(
        "base.yaml",
        """
        guards:
          korean_only: {mode: shadow, options: {min_han_chars: 3, latin_sentences: false}}
        intents:
          - {intent: policy, patterns: [규정]}
          - {intent: pay, patterns: [급여]}
        """,
    )
    folder.write(
        "child.yaml",
        """
        extends: base
        guards:
          korean_only: {mode: enforce, options: {min_han_chars: 2}}
        intents:
          - {intent: stay, patterns: [객실]}
        """,
    )

    policy = folder.load()["child"].policy

    rule = policy.guards["korean_only"]
    assert rule.mode is Mode.ENFORCE
    assert rule.options == {"min_han_chars": 2, "latin_sentences": False}
    assert [each.intent for each in policy.intents] == ["stay"]


def test_a_shipped_policy_can_be_extended(folder: Folder) -> None:
    folder.write("acme.yaml", "extends: strict\nguards: {korean_only: {mode: off}}")

    guards = folder.load()["acme"].policy.guards

    assert guards["korean_only"].mode is Mode.OFF
    assert guards["numbers"].mode is Mode.ENFORCE


def test_a_file_named_like_a_shipped_one_can_extend_it(folder: Folder) -> None:
    folder.write("default.yaml", "extends: default\nreport: true")
    folder.write("acme.yaml", "extends: default")

    policies = folder.load()

    assert "numbers" in policies["default"].policy.guards
    assert policies["acme"].policy.report, "a sibling comes before the shipped one"


def test_neither_the_tenant_nor_its_keys_are_inherited(folder: Folder) -> None:
    folder.write("a.yaml", f"tenant: a\nkeys: ['{new_key('a')[1]}']" + SERVING)
    folder.write("b.yaml", "extends: a\ntenant: b")

    policies = folder.load()

    assert policies["b"].policy.keys == ()
    assert policies["b"].policy.upstream == policies["a"].policy.upstream


def test_a_missing_base_is_named_with_a_near_one(folder: Folder) -> None:
    folder.write("acme.yaml", "report: true\nextends: defualt")

    assert folder.only_error() == (
        "acme.yaml:2:1: extends: there is no policy 'defualt'; did you mean 'default'?"
    )


def test_a_circle_of_bases_is_an_error(folder: Folder) -> None:
    folder.write("a.yaml", "extends: b")
    folder.write("b.yaml", "extends: c")
    folder.write("c.yaml", "extends: b")

    assert folder.errors() == [
        "b.yaml:1:1: extends: goes in a circle: c -> b -> c",
        "c.yaml:1:1: extends: goes in a circle: a -> b -> c -> b",
        "c.yaml:1:1: extends: goes in a circle: b -> c -> b",
    ]


# --- keys of model servers ------------------------------------------------------------------------


def test_a_key_that_is_not_set_is_an_error_where_it_is_needed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACME_MODEL_KEY", raising=False)
    folder.write(
        "x.yaml",
        f"tenant: a\nkeys: ['{new_key('a')[1]}']"
        + SERVING.replace("/v1", "/v1\n  api_key_env: ACME_MODEL_KEY"),
    )
    said = (
        "x.yaml:5:3: upstream.api_key_env: names the environment variable ACME_MODEL_KEY, which "
        "is not set"
    )

    assert folder.errors(require_env=True) == [said]
    assert folder.errors(require_env=False) == []
    assert folder.warnings() == [said]

    monkeypatch.setenv("ACME_MODEL_KEY", "something")
    assert folder.errors(require_env=True) == []
    assert folder.warnings() == []


# --- warnings -------------------------------------------------------------------------------------


def test_a_tenant_that_nobody_can_reach_is_pointed_out(folder: Folder) -> None:
    folder.write("x.yaml", "tenant: a" + SERVING)

    assert folder.warnings() == ["x.yaml:1:1: tenant: has no `keys`, so no app can reach it yet"]


@each_row("address, said", "an_address_that_is_hardly_meant_is_pointed_out")
def test_an_address_that_is_hardly_meant_is_pointed_out(
    folder: Folder, address: str, said: str
) -> None:
    folder.write(
        "x.yaml",
        f"extends: default\ntenant: a\nupstream:\n  pass_caller_key: true\n  base_url: {address}",
    )

    [warning] = folder.warnings()
    assert warning.startswith(f"x.yaml:5:3: upstream.base_url: {said}")


@each_row("address", ["http://h/v1", "http://h/v1/", "https://h/api/openai/v3"])
def test_an_address_up_to_its_version_is_right(folder: Folder, address: str) -> None:
    folder.write(
        "x.yaml",
        f"extends: default\ntenant: a\nupstream:\n  pass_caller_key: true\n  base_url: {address}",
    )

    assert folder.warnings() == []


def test_a_tenant_without_guards_is_pointed_out(folder: Folder) -> None:
    folder.write(
        "x.yaml",
        "tenant: a\nupstream: {base_url: http://h/v1, pass_caller_key: true}\n"
        "stream: {mode: buffer}",
    )

    assert folder.warnings() == [
        "x.yaml:1:1: tenant: turns on no guard: every answer passes unchecked"
    ]


def test_a_template_that_nothing_calls_is_pointed_out(folder: Folder) -> None:
    folder.write("x.yaml", "templates:\n  falback: 나중에 다시 시도해 주세요.")

    assert folder.warnings() == [
        "x.yaml:2:3: templates.falback: is called by no guard, code or rule; did you mean "
        "'fallback'?"
    ]


def test_what_is_odd_is_said_also_of_a_policy_with_errors(folder: Folder) -> None:
    folder.write("x.yaml", f"keys: ['{new_key('a')[1]}']\ntemplates: {{falback: 나중에.}}")

    assert [error.partition(": ")[0] for error in folder.errors()] == ["x.yaml:1:1"]
    [warning] = folder.warnings()
    assert warning.startswith("x.yaml:2:13: templates.falback: ")


@each_row("more, place", "what_is_odd_in_a_shipped_policy_is_said_where_a_file_extends_it")
def test_what_is_odd_in_a_shipped_policy_is_said_where_a_file_extends_it(
    folder: Folder, more: str, place: str
) -> None:
    tenant = (
        "tenant: a\nextends: strict\nupstream:\n  {base_url: http://h/v1, pass_caller_key: true}\n"
    )
    folder.write("x.yaml", tenant + more)

    [warning] = [one for one in folder.warnings() if "personal_data" in one]

    assert warning.startswith(f"{place}: guards.personal_data.options.input: ")
    assert ("(inherited from " in warning) == (place != "x.yaml:7:15")


# --- versions -------------------------------------------------------------------------------------


def version(folder: Folder, name: str) -> str:
    return folder.load()[name].version


def test_the_version_changes_with_what_the_policy_says_and_only_then(folder: Folder) -> None:
    folder.write("base.yaml", "report: true")
    folder.write("x.yaml", "extends: base\nguards: {korean_only: {mode: shadow}}")
    first = version(folder, "x")

    folder.write("x.yaml", "# a comment\nextends: base\nguards:\n  korean_only:\n    mode: shadow")
    assert version(folder, "x") == first

    folder.write("base.yaml", "report: false")
    assert version(folder, "x") != first


def test_a_new_key_is_no_new_version(folder: Folder) -> None:
    folder.write("x.yaml", f"tenant: a\nkeys: ['{new_key('a')[1]}']" + SERVING)
    first = version(folder, "x")
    folder.write("x.yaml", f"tenant: a\nkeys: ['{new_key('a')[1]}']" + SERVING)

    assert version(folder, "x") == first


def test_the_order_of_guards_is_part_of_the_version(folder: Folder) -> None:
    folder.write("x.yaml", "guards: {korean_only: {}, numbers: {}}")
    first = version(folder, "x")
    folder.write("x.yaml", "guards: {numbers: {}, korean_only: {}}")

    assert version(folder, "x") != first
