from pathlib import Path

import pytest

from policies.schema.base import PolicyError
from policies.schema.keys import salted_hash
from tests.policies.conftest import Folder
from tests.tables import each_row

HASH = salted_hash("k", "5a" * 16)
SERVING = """
upstream:
  base_url: http://127.0.0.1:8000/v1
guards:
  korean_only: {mode: enforce}
templates:
  fallback: 지금은 답변드릴 수 없습니다. 나중에 다시 시도해 주세요.
"""

BUFFERED = "tenant: a\nupstream: {base_url: http://h/v1}\nstream: {mode: buffer}\n"


@each_row("text, message", "refused")
def test_refuses(folder: Folder, text: str, message: str) -> None:
    folder.write("x.yaml", text)

    assert folder.only_error() == message


def test_refuses_what_is_nested_without_end(folder: Folder) -> None:
    folder.write("x.yaml", "[" * 600)

    assert folder.only_error() == "x.yaml: is not well-formed YAML: values are nested too deep"


def test_keys_open_nothing_without_a_tenant(folder: Folder) -> None:
    folder.write("x.yaml", f"keys: ['{HASH}']")

    assert folder.only_error() == "x.yaml:1:1: keys: open nothing without a `tenant`"


def test_an_inherited_error_points_to_the_file_where_the_value_stands(folder: Folder) -> None:
    folder.write("base.yaml", "report: true\ntemplates:\n  numbers: '{{ oops }}'")
    folder.write("child.yaml", "extends: base\nreport: false")

    assert folder.only_error().startswith("base.yaml:3:3: templates.numbers: ")


def test_an_error_made_together_points_to_the_value_that_is_wrong(folder: Folder) -> None:
    folder.write(
        "base.yaml",
        "upstream: {base_url: http://h/v1, pass_caller_key: true}\nstream: {mode: buffer}",
    )
    folder.write(
        "child.yaml",
        f"extends: base\ntenant: child\nkeys:\n  - '{HASH}'",
    )

    assert folder.only_error() == (
        "child.yaml:3:1: keys: cannot go with `upstream.pass_caller_key`, which would let any "
        "caller use what is the tenant's own"
    )


def test_the_tenants_own_key_never_goes_with_the_callers(folder: Folder) -> None:
    folder.write(
        "x.yaml",
        "upstream:\n  base_url: http://h/v1\n  api_key_env: SOME_KEY\n  pass_caller_key: true",
    )

    assert folder.only_error().startswith("x.yaml:3:3: upstream.api_key_env: cannot go with")


def test_everything_wrong_in_all_files_is_said_at_once(folder: Folder) -> None:
    folder.write("a.yaml", "report: 3\nkees: []\nguards: {nubmers: {}}")
    folder.write("b.yaml", "a: [")
    folder.write("c.yaml", "extends: nothing-like-it")

    with pytest.raises(PolicyError) as caught:
        folder.load()

    places = [(Path(each.place.file).name, each.place.line) for each in caught.value.problems]
    assert places == [("a.yaml", 1), ("a.yaml", 2), ("a.yaml", 3), ("b.yaml", 1), ("c.yaml", 1)]
    assert len(str(caught.value).splitlines()) == 5


def test_a_tenant_belongs_to_one_file(folder: Folder) -> None:
    folder.write("a.yaml", "tenant: same" + SERVING)
    folder.write("b.yaml", "report: true\ntenant: same" + SERVING)

    assert folder.only_error() == "b.yaml:2:1: tenant: is already claimed at a.yaml:1:1"


def test_a_key_belongs_to_one_tenant(folder: Folder) -> None:
    folder.write("a.yaml", f"tenant: a\nkeys: ['{HASH}']" + SERVING)
    folder.write("b.yaml", f"tenant: b\nkeys: ['{HASH}']" + SERVING)

    assert folder.only_error() == "b.yaml:2:8: keys[0]: is already claimed at a.yaml:2:8"


def test_a_guard_that_can_replace_needs_a_template(folder: Folder) -> None:
    folder.write("x.yaml", BUFFERED + "guards:\n  korean_only: {}\n")

    assert folder.only_error() == (
        "x.yaml:5:3: guards.korean_only: can replace an answer and has no template: add "
        "`korean_only` or `fallback` to `templates`"
    )


@each_row("rule", ["{final: trim}", "{action: trim, final: trim}"])
def test_a_guard_that_trims_needs_one_for_where_too_little_is_left(
    folder: Folder, rule: str
) -> None:
    folder.write("x.yaml", f"{BUFFERED}guards: {{korean_only: {rule}}}")

    assert "can replace an answer and has no template" in folder.only_error()


@each_row("rule", "a_guard_that_never_replaces_needs_no_template")
def test_a_guard_that_never_replaces_needs_no_template(folder: Folder, rule: str) -> None:
    folder.write("x.yaml", f"{BUFFERED}guards: {{korean_only: {rule}}}")

    assert folder.errors() == []


def test_a_guard_whose_breaking_replaces_needs_a_template(folder: Folder) -> None:
    rule = "{action: pass, on_not_run: replace}"
    folder.write("x.yaml", f"{BUFFERED}guards: {{korean_only: {rule}}}")

    assert "has no template" in folder.only_error()


def test_a_rule_names_a_template_that_exists(folder: Folder) -> None:
    folder.write(
        "x.yaml",
        """
        tenant: a
        upstream: {base_url: http://h/v1}
        stream: {mode: buffer}
        guards:
          korean_only:
            template: langauge
        templates:
          language: 한국어로만 답변드릴 수 있습니다.
        """,
    )

    assert folder.only_error() == (
        "x.yaml:6:5: guards.korean_only.template: names no template; did you mean 'language'?"
    )


def test_two_files_of_one_name_are_refused(folder: Folder) -> None:
    folder.write("a.yaml", "report: true")
    folder.write("a.yml", "report: false")

    assert folder.only_error() == "a.yml: has the same name as a.yaml"


def test_a_name_must_fit_into_a_header(folder: Folder) -> None:
    folder.write("호텔.yaml", "report: true")

    assert "a policy's name must match" in folder.only_error()


def test_bytes_that_are_not_utf8_are_refused(folder: Folder) -> None:
    (folder.path / "x.yaml").write_bytes("report: true\n# 한글".encode("cp949"))

    assert folder.only_error() == "x.yaml:2:1: is not UTF-8"


def test_a_dangling_link_is_an_error(folder: Folder) -> None:
    (folder.path / "x.yaml").symlink_to(folder.path / "gone")

    assert folder.only_error() == "x.yaml: cannot be read: No such file or directory"


def test_a_huge_file_is_refused(folder: Folder) -> None:
    (folder.path / "x.yaml").write_bytes(b"#" * (1 << 20) + b"\n")

    assert folder.only_error() == "x.yaml: is larger than 1048576 bytes"


@pytest.mark.parametrize("exists", [True, False], ids=["empty", "missing"])
def test_a_directory_without_policies_is_an_error(folder: Folder, exists: bool) -> None:
    if not exists:
        folder.path.rmdir()

    with pytest.raises(PolicyError, match=r"holds no policy|No such file"):
        folder.load()
