import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from policies.errors import PolicyError
from policies.keys import hash_key
from policies.loader import load_policies, survey
from policies.policy import Mode

Write = Callable[[str, str], Path]

SERVING = """
upstream:
  base_url: http://127.0.0.1:8000/v1
guards:
  korean_only: {mode: enforce}
templates:
  fallback: 지금은 답변드릴 수 없습니다. 나중에 다시 시도해 주세요.
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return path

    return write_file


def messages(directory: Path, *, require_env: bool = False) -> list[str]:
    found = survey(directory, require_env=require_env)
    return [str(problem).replace(f"{directory}/", "") for problem in found.errors]


def only_message(directory: Path) -> str:
    [message] = messages(directory)
    return message


def warnings(directory: Path) -> list[str]:
    found = survey(directory, require_env=False)
    return [str(problem).replace(f"{directory}/", "") for problem in found.warnings]


def test_a_file_becomes_a_policy_named_after_it(tmp_path: Path, write: Write) -> None:
    path = write("acme-bot.yaml", "tenant: acme" + SERVING)

    [(name, loaded)] = load_policies(tmp_path, require_env=True).items()

    assert (name, loaded.name, loaded.path) == ("acme-bot", "acme-bot", str(path))
    assert loaded.policy.tenant == "acme"
    assert loaded.policy.guards["korean_only"].mode is Mode.ENFORCE


def test_off_is_a_word(tmp_path: Path, write: Write) -> None:
    write("base.yaml", "guards: {korean_only: {mode: off}}")

    assert load_policies(tmp_path, require_env=True)["base"].policy.guards[
        "korean_only"
    ].mode is Mode.OFF


def test_hidden_files_folders_and_other_endings_are_passed_over(
    tmp_path: Path, write: Write
) -> None:
    write("kept.yml", "report: true")
    write(".kept.yaml.swp", "not: [yaml")
    write(".hidden.yaml", "not: [yaml")
    write("notes.txt", "not: [yaml")
    (tmp_path / "folder.yaml").mkdir()

    assert list(load_policies(tmp_path, require_env=True)) == ["kept"]


# --- extends ---------------------------------------------------------------------------------


def test_maps_merge_and_lists_and_plain_values_replace(tmp_path: Path, write: Write) -> None:
    write(
        "base.yaml",
        """
        guards:
          korean_only: {mode: shadow, options: {min_han_chars: 3, latin_sentences: false}}
        intents:
          - {intent: policy, patterns: [규정]}
          - {intent: pay, patterns: [급여]}
        """,
    )
    write(
        "child.yaml",
        """
        extends: base
        guards:
          korean_only: {mode: enforce, options: {min_han_chars: 2}}
        intents:
          - {intent: stay, patterns: [객실]}
        """,
    )

    policy = load_policies(tmp_path, require_env=True)["child"].policy

    rule = policy.guards["korean_only"]
    assert rule.mode is Mode.ENFORCE
    assert rule.options == {"min_han_chars": 2, "latin_sentences": False}
    assert [each.intent for each in policy.intents] == ["stay"]


def test_a_shipped_policy_can_be_extended(tmp_path: Path, write: Write) -> None:
    write("acme.yaml", "extends: strict\nguards: {korean_only: {mode: off}}")

    guards = load_policies(tmp_path, require_env=True)["acme"].policy.guards

    assert guards["korean_only"].mode is Mode.OFF
    assert guards["numbers"].mode is Mode.ENFORCE


def test_a_file_named_like_a_shipped_one_can_extend_it(tmp_path: Path, write: Write) -> None:
    write("default.yaml", "extends: default\nreport: true")
    write("acme.yaml", "extends: default")

    policies = load_policies(tmp_path, require_env=True)

    assert "numbers" in policies["default"].policy.guards
    assert policies["acme"].policy.report, "a sibling comes before the shipped one"


def test_neither_the_tenant_nor_its_keys_are_inherited(tmp_path: Path, write: Write) -> None:
    write("a.yaml", f"tenant: a\nkeys: ['{hash_key('one')}']" + SERVING)
    write("b.yaml", "extends: a\ntenant: b")

    policies = load_policies(tmp_path, require_env=True)

    assert policies["b"].policy.keys == ()
    assert policies["b"].policy.upstream == policies["a"].policy.upstream


def test_a_missing_base_is_named_with_a_near_one(tmp_path: Path, write: Write) -> None:
    write("acme.yaml", "report: true\nextends: defualt")

    assert only_message(tmp_path) == (
        "acme.yaml:2:1: extends: there is no policy 'defualt'; did you mean 'default'?"
    )


def test_a_circle_of_bases_is_an_error(tmp_path: Path, write: Write) -> None:
    write("a.yaml", "extends: b")
    write("b.yaml", "extends: c")
    write("c.yaml", "extends: b")

    assert messages(tmp_path) == [
        "b.yaml:1:1: extends: goes in a circle: c -> b -> c",
        "c.yaml:1:1: extends: goes in a circle: a -> b -> c -> b",
        "c.yaml:1:1: extends: goes in a circle: b -> c -> b",
    ]


# --- errors ----------------------------------------------------------------------------------

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
        "x.yaml:3:5: guards.korean_only.mode: must be 'enforce', 'shadow' or 'off', not "
        "'enforced'",
        id="word-that-is-no-mode",
    ),
    pytest.param(
        "guards:\n  korean_only:\n    final: regenerate",
        "x.yaml:3:5: guards.korean_only.final: must be 'pass' or 'replace', not 'regenerate'",
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
        "tenant: a", "x.yaml:1:1: tenant: needs an `upstream`, the model server it speaks to",
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
        "keys: [gp-acme-notahash]",
        "x.yaml:1:8: keys[0]: must match pattern '^sha256:[0-9a-f]{64}$'",
        id="key-instead-of-its-hash-is-not-repeated",
    ),
    pytest.param(
        f"keys: ['{hash_key('k')}']", "x.yaml:1:1: keys: open nothing without a `tenant`",
        id="keys-without-tenant",
    ),
    pytest.param("a: 1\na: 2", "x.yaml:2:1: a: stands twice, first in line 1", id="key-twice"),
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
        "[" * 20_000, "x.yaml: is not well-formed YAML: values are nested too deep",
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
        "codes",
        id="unknown-variable-in-a-template",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_refuses(tmp_path: Path, write: Write, text: str, message: str) -> None:
    write("x.yaml", text)

    assert only_message(tmp_path) == message


def test_an_inherited_error_points_to_the_file_where_the_value_stands(
    tmp_path: Path, write: Write
) -> None:
    write("base.yaml", "report: true\ntemplates:\n  numbers: '{{ oops }}'")
    write("child.yaml", "extends: base\nreport: false")

    assert only_message(tmp_path).startswith("base.yaml:3:3: templates.numbers: ")


def test_an_error_made_together_points_to_the_value_that_is_wrong(
    tmp_path: Path, write: Write
) -> None:
    write("base.yaml", "upstream: {base_url: http://h/v1, pass_caller_key: true}")
    write(
        "child.yaml",
        f"extends: base\ntenant: child\nkeys:\n  - '{hash_key('k')}'",
    )

    assert only_message(tmp_path) == (
        "child.yaml:3:1: keys: cannot go with `upstream.pass_caller_key`, which would let any "
        "caller use what is the tenant's own"
    )


def test_the_tenants_own_key_never_goes_with_the_callers(tmp_path: Path, write: Write) -> None:
    write(
        "x.yaml",
        "upstream:\n  base_url: http://h/v1\n  api_key_env: SOME_KEY\n  pass_caller_key: true",
    )

    assert only_message(tmp_path).startswith("x.yaml:3:3: upstream.api_key_env: cannot go with")


def test_everything_wrong_in_all_files_is_said_at_once(tmp_path: Path, write: Write) -> None:
    write("a.yaml", "report: 3\nkees: []\nguards: {nubmers: {}}")
    write("b.yaml", "a: [")
    write("c.yaml", "extends: nothing-like-it")

    with pytest.raises(PolicyError) as caught:
        load_policies(tmp_path, require_env=True)

    places = [(Path(each.place.file).name, each.place.line) for each in caught.value.problems]
    assert places == [("a.yaml", 1), ("a.yaml", 2), ("a.yaml", 3), ("b.yaml", 1), ("c.yaml", 1)]
    assert len(str(caught.value).splitlines()) == 5


def test_a_tenant_belongs_to_one_file(tmp_path: Path, write: Write) -> None:
    write("a.yaml", "tenant: same" + SERVING)
    write("b.yaml", "report: true\ntenant: same" + SERVING)

    assert only_message(tmp_path) == "b.yaml:2:1: tenant: is already claimed at a.yaml:1:1"


def test_a_key_belongs_to_one_tenant(tmp_path: Path, write: Write) -> None:
    shared = hash_key("shared")
    write("a.yaml", f"tenant: a\nkeys: ['{shared}']" + SERVING)
    write("b.yaml", f"tenant: b\nkeys: ['{shared}']" + SERVING)

    assert only_message(tmp_path) == "b.yaml:2:8: keys[0]: is already claimed at a.yaml:2:8"


def test_a_guard_that_can_replace_needs_a_template(tmp_path: Path, write: Write) -> None:
    served = "tenant: a\nupstream: {base_url: http://h/v1}\nguards:\n  korean_only: {}\n"
    write("x.yaml", served)

    assert only_message(tmp_path) == (
        "x.yaml:4:3: guards.korean_only: can replace an answer and has no template: add "
        "`korean_only` or `fallback` to `templates`"
    )


@pytest.mark.parametrize(
    "rule", ["{mode: shadow}", "{mode: off}", "{final: pass}", "{action: pass}"]
)
def test_a_guard_that_never_replaces_needs_no_template(
    tmp_path: Path, write: Write, rule: str
) -> None:
    write(
        "x.yaml",
        f"tenant: a\nupstream: {{base_url: http://h/v1}}\nguards: {{korean_only: {rule}}}",
    )

    assert messages(tmp_path) == []


def test_a_guard_whose_breaking_replaces_needs_a_template(tmp_path: Path, write: Write) -> None:
    rule = "{action: pass, on_not_run: replace}"
    write(
        "x.yaml",
        f"tenant: a\nupstream: {{base_url: http://h/v1}}\nguards: {{korean_only: {rule}}}",
    )

    assert "has no template" in only_message(tmp_path)


def test_a_rule_names_a_template_that_exists(tmp_path: Path, write: Write) -> None:
    write(
        "x.yaml",
        """
        tenant: a
        upstream: {base_url: http://h/v1}
        guards:
          korean_only:
            template: langauge
        templates:
          language: 한국어로만 답변드릴 수 있습니다.
        """,
    )

    assert only_message(tmp_path) == (
        "x.yaml:5:5: guards.korean_only.template: names no template; did you mean 'language'?"
    )


def test_two_files_of_one_name_are_refused(tmp_path: Path, write: Write) -> None:
    write("a.yaml", "report: true")
    write("a.yml", "report: false")

    assert only_message(tmp_path) == "a.yml: has the same name as a.yaml"


def test_a_name_must_fit_into_a_header(tmp_path: Path, write: Write) -> None:
    write("호텔.yaml", "report: true")

    assert "a policy's name must match" in only_message(tmp_path)


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes("report: true\n# 한글".encode("cp949"))

    assert only_message(tmp_path) == "x.yaml:2:1: is not UTF-8"


def test_a_dangling_link_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").symlink_to(tmp_path / "gone")

    assert only_message(tmp_path) == "x.yaml: cannot be read: No such file or directory"


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"#" * (1 << 20) + b"\n")

    assert only_message(tmp_path) == "x.yaml: is larger than 1048576 bytes"


@pytest.mark.parametrize("exists", [True, False], ids=["empty", "missing"])
def test_a_directory_without_policies_is_an_error(tmp_path: Path, exists: bool) -> None:
    directory = tmp_path / "policies"
    if exists:
        directory.mkdir()

    with pytest.raises(PolicyError, match=r"holds no policy|No such file"):
        load_policies(directory, require_env=True)


# --- keys of model servers -------------------------------------------------------------------


def test_a_key_that_is_not_set_is_an_error_where_it_is_needed(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACME_MODEL_KEY", raising=False)
    write(
        "x.yaml",
        f"tenant: a\nkeys: ['{hash_key('k')}']"
        + SERVING.replace("/v1", "/v1\n  api_key_env: ACME_MODEL_KEY"),
    )
    said = (
        "x.yaml:5:3: upstream.api_key_env: names the environment variable ACME_MODEL_KEY, which "
        "is not set"
    )

    assert messages(tmp_path, require_env=True) == [said]
    assert messages(tmp_path, require_env=False) == []
    assert warnings(tmp_path) == [said]

    monkeypatch.setenv("ACME_MODEL_KEY", "something")
    assert messages(tmp_path, require_env=True) == []
    assert warnings(tmp_path) == []


# --- warnings --------------------------------------------------------------------------------


def test_a_tenant_that_nobody_can_reach_is_pointed_out(tmp_path: Path, write: Write) -> None:
    write("x.yaml", "tenant: a" + SERVING)

    assert warnings(tmp_path) == [
        "x.yaml:1:1: tenant: has no `keys`, so nobody can reach it yet"
    ]


def test_a_tenant_without_guards_is_pointed_out(tmp_path: Path, write: Write) -> None:
    write("x.yaml", "tenant: a\nupstream: {base_url: http://h/v1, pass_caller_key: true}")

    assert warnings(tmp_path) == [
        "x.yaml:1:1: tenant: turns on no guard: every answer passes unchecked"
    ]


def test_a_template_that_nothing_calls_is_pointed_out(tmp_path: Path, write: Write) -> None:
    write("x.yaml", "templates:\n  falback: 나중에 다시 시도해 주세요.")

    assert warnings(tmp_path) == [
        "x.yaml:2:3: templates.falback: is called by no guard, code or rule; did you mean "
        "'fallback'?"
    ]


# --- versions --------------------------------------------------------------------------------


def version(directory: Path, name: str) -> str:
    return load_policies(directory, require_env=False)[name].version


def test_the_version_changes_with_what_the_policy_says_and_only_then(
    tmp_path: Path, write: Write
) -> None:
    write("base.yaml", "report: true")
    write("x.yaml", "extends: base\nguards: {korean_only: {mode: shadow}}")
    first = version(tmp_path, "x")

    write("x.yaml", "# a comment\nextends: base\nguards:\n  korean_only:\n    mode: shadow")
    assert version(tmp_path, "x") == first

    write("base.yaml", "report: false")
    assert version(tmp_path, "x") != first


def test_a_new_key_is_no_new_version(tmp_path: Path, write: Write) -> None:
    write("x.yaml", f"tenant: a\nkeys: ['{hash_key('one')}']" + SERVING)
    first = version(tmp_path, "x")
    write("x.yaml", f"tenant: a\nkeys: ['{hash_key('two')}']" + SERVING)

    assert version(tmp_path, "x") == first


def test_the_order_of_guards_is_part_of_the_version(tmp_path: Path, write: Write) -> None:
    write("x.yaml", "guards: {korean_only: {}, numbers: {}}")
    first = version(tmp_path, "x")
    write("x.yaml", "guards: {numbers: {}, korean_only: {}}")

    assert version(tmp_path, "x") != first
