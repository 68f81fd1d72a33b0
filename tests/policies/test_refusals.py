from pathlib import Path

import pytest

from policies.schema.errors import PolicyError
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

REFUSED = [
    pytest.param(
        "guards:\n  korean_only:\n    mdoe: off",
        "x.yaml:3:5: guards.korean_only.mdoe: is not a known key; did you mean 'mode'?",
        id="unknown-key",
    ),
    pytest.param(
        "gaurds: {}",
        "x.yaml:1:1: gaurds: is not a known key; did you mean 'guards'?",
        id="unknown-key-at-the-top",
    ),
    pytest.param(
        "intents:\n  - intent: a\n    patterns: [b]\n    pattern: c",
        "x.yaml:4:5: intents[0].pattern: is not a known key; did you mean 'patterns'?",
        id="unknown-key-in-a-list",
    ),
    pytest.param(
        "tenant: a\nupstream:\n  base_url: http://h/v1\n  timeouts:\n    connect: 3",
        "x.yaml:5:5: upstream.timeouts.connect: is not a known key; did you mean 'connect_s'?",
        id="unknown-key-in-what-may-be-missing",
    ),
    pytest.param(
        "guards:\n  korean: {mode: off}",
        "x.yaml:2:3: guards.korean: is not a known key; did you mean 'korean_only'?",
        id="unknown-guard",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    options:\n      min_han_char: 3",
        "x.yaml:4:7: guards.korean_only.options.min_han_char: is not a known key; "
        "did you mean 'min_han_chars'?",
        id="unknown-option",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    options:\n      min_han_chars: 0",
        "x.yaml:4:7: guards.korean_only.options.min_han_chars: must be greater than or equal to "
        "1, not 0",
        id="option-out-of-range",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    options:\n      latin_sentences: yes",
        "x.yaml:4:7: guards.korean_only.options.latin_sentences: must be a valid boolean, not "
        "'yes'",
        id="option-of-the-wrong-type",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    mode: enforced",
        "x.yaml:3:5: guards.korean_only.mode: must be 'enforce', 'shadow' or 'off', not 'enforced'",
        id="word-that-is-no-mode",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    final: regenerate",
        "x.yaml:3:5: guards.korean_only.final: must be 'pass', 'trim' or 'replace', "
        "not 'regenerate'",
        id="action-that-cannot-be-final",
    ),
    pytest.param(
        'sources:\n  max_sources: "5"',
        "x.yaml:2:3: sources.max_sources: must be a valid integer, not '5'",
        id="text-where-a-number-belongs",
    ),
    pytest.param("guards:", "x.yaml:1:1: guards: must be a map, not nothing", id="empty-map"),
    pytest.param("intents: {a: b}", "x.yaml:1:1: intents: must be a list", id="map-for-a-list"),
    pytest.param(
        "intents:\n  - intent: a",
        "x.yaml:2:5: intents[0].patterns: is missing",
        id="missing-key",
    ),
    pytest.param(
        "tracing: {keep_days: .inf}",
        "x.yaml:1:11: tracing.keep_days: must be a finite number",
        id="infinity",
    ),
    pytest.param(
        "tenant: Acme Inc",
        "x.yaml:1:1: tenant: must match pattern '^[a-z0-9][a-z0-9-]{0,62}$', not 'Acme Inc'",
        id="bad-tenant-name",
    ),
    pytest.param(
        "tenant: a\nstream: {mode: buffer}",
        "x.yaml:1:1: tenant: needs an `upstream`, the model server it speaks to",
        id="tenant-without-model-server",
    ),
    pytest.param(
        "upstream:\n  base_url: 127.0.0.1:8000",
        "x.yaml:2:3: upstream.base_url: must begin with http:// or https:// and name a host",
        id="address-without-scheme",
    ),
    pytest.param(
        "upstream:\n  base_url: https://me:secret@h/v1",
        "x.yaml:2:3: upstream.base_url: must end with the path; name the key's variable in "
        "api_key_env",
        id="secret-in-the-address-is-not-repeated",
    ),
    pytest.param(
        "upstream:\n  base_url: https://:secret@h/v1",
        "x.yaml:2:3: upstream.base_url: must end with the path; name the key's variable in "
        "api_key_env",
        id="a-password-in-an-address",
    ),
    pytest.param(
        "keys: [gp-acme-notahash]",
        "x.yaml:1:8: keys[0]: is no salted hash of a key; paste the line that `guard-proxy keys "
        "new TENANT` prints",
        id="key-instead-of-its-hash-is-not-repeated",
    ),
    pytest.param(
        f"keys: [sha256:{'0' * 64}]",
        "x.yaml:1:8: keys[0]: is no salted hash of a key; paste the line that `guard-proxy keys "
        "new TENANT` prints",
        id="hash-without-a-salt",
    ),
    pytest.param(
        f"keys: ['{HASH}']",
        "x.yaml:1:1: keys: open nothing without a `tenant`",
        id="keys-without-tenant",
    ),
    pytest.param("a: 1\na: 2", "x.yaml:2:1: a: appears twice, first in line 1", id="key-twice"),
    pytest.param(
        "templates: {a: &text 가나다, b: *text}",
        "x.yaml:1:27: templates.b: is an alias; name a policy in `extends` to share values",
        id="alias",
    ),
    pytest.param(
        "report: !!python/name:os.system",
        "x.yaml:1:1: report: carries the tag tag:yaml.org,2002:python/name:os.system, and tags "
        "have no meaning here",
        id="tag",
    ),
    pytest.param("? [a]\n: 1", "x.yaml:1:3: has a key that is not a word", id="list-as-a-key"),
    pytest.param("", "x.yaml: holds no policy; a policy is a map of keys", id="empty-file"),
    pytest.param("- a", "x.yaml: holds no policy; a policy is a map of keys", id="a-list"),
    pytest.param(
        "a: 1\nb: c: d",
        "x.yaml:2:5: is not well-formed YAML: mapping values are not allowed here",
        id="malformed-yaml",
    ),
    pytest.param(
        "[" * 20_000,
        "x.yaml: is not well-formed YAML: values are nested too deep",
        id="nested-without-end",
    ),
    pytest.param(
        "intents:\n  - intent: a\n    patterns:\n      - 연차\n      - '(?=휴가)'",
        "x.yaml:5:9: intents[0].patterns[1]: is no pattern that RE2 takes: invalid perl "
        "operator: (?=",
        id="look-ahead",
    ),
    pytest.param(
        "templates:\n  numbers: 안녕하세요 {{ titel }}",
        "x.yaml:2:3: templates.numbers: does not know 'titel'; templates know reason, sources, "
        "codes, wrong, quotes",
        id="unknown-variable-in-a-template",
    ),
]


@each_row("text, message", REFUSED)
def test_refuses(folder: Folder, text: str, message: str) -> None:
    folder.write("x.yaml", text)

    assert folder.only_error() == message


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
