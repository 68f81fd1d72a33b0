import json
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path

import pytest

from guards.core.registry import all_guards
from policies.explaining import (
    NotThere,
    Setting,
    SettingKey,
    changed,
    differences,
    explained,
    is_shipped,
    policy_called,
    under,
)
from policies.schema.base import Place
from policies.schema.document import Entry, Plain
from policies.schema.inheritance import shipped_files
from policies.schema.keys import new_key
from policies.schema.loader import LoadedPolicy, load_file, load_shipped, load_text
from policies.schema.store import PolicyStore
from tests.policies.conftest import Folder
from tests.tables import each_row

SHIPPED = sorted(shipped_files())
UPSTREAM = "upstream:\n  base_url: http://127.0.0.1:8000/v1/\n"
RICH = """
    extends: strict
    tenant: acme
    upstream:
      base_url: http://127.0.0.1:8000/v1
      models: {gpt-4o: local}
    judge: {kind: chat, base_url: http://127.0.0.1:9000/v1, model: small}
    guards:
      numbers: {mode: off, template: names}
      scope: {options: {scopes: {본점: [본점, 종로점]}}}
    templates: {fallback: "나중에 다시\\n\\n물어봐 주세요.\\n"}
    """
BARE = "report: true\n"


def by_name(settings: tuple[Setting, ...]) -> dict[str, Setting]:
    found = {each.name: each for each in settings}
    assert len(found) == len(settings), "each is explained once"
    return found


def values(loaded: LoadedPolicy) -> dict[SettingKey, Plain]:
    """What a policy comes to, but for whom it serves; a map with nothing in it says nothing."""
    return {
        each.key: each.value
        for each in explained(loaded)
        if each.key[0] not in {"extends", "tenant", "keys"} and each.value not in (None, {})
    }


def leaves(entry: Entry, key: SettingKey = ()) -> Iterator[tuple[SettingKey, Entry]]:
    if isinstance(entry.value, Mapping) and entry.value:
        for name, below in entry.value.items():
            yield from leaves(below, (*key, name))
    else:
        yield key, entry


def nested(settings: tuple[Setting, ...]) -> dict[str, Plain]:
    """Write a policy file from what a policy was explained to be."""
    root: dict[str, Plain] = {}
    for setting in settings:
        level = root
        for name in setting.key[:-1]:
            below = level.setdefault(name, {})
            assert isinstance(below, dict)
            level = below
        level[setting.key[-1]] = setting.value
    return root


@pytest.fixture
def several(folder: Folder) -> list[LoadedPolicy]:
    paths = [folder.write("rich.yaml", RICH), folder.write("bare.yaml", BARE)]
    return [*map(load_shipped, SHIPPED), *map(load_file, paths)]


# --- what is explained ----------------------------------------------------------------------------


@each_row("name", SHIPPED)
def test_every_value_of_a_file_is_explained_once_at_its_place(name: str) -> None:
    said = dict(leaves(shipped_files()[name].document()))
    settings = {each.key: each for each in explained(load_shipped(name))}

    assert len(settings) == len(explained(load_shipped(name)))
    for key, entry in said.items():
        assert settings[key].place == entry.place
        assert settings[key].value == entry.plain()
    of_this_file = {key for key, each in settings.items() if each.place in places(said)}
    assert of_this_file == said.keys()


def places(said: Mapping[SettingKey, Entry]) -> set[Place | None]:
    return {entry.place for entry in said.values()}


def test_a_policy_written_from_its_explanation_is_the_same(
    several: list[LoadedPolicy], tmp_path: Path
) -> None:
    for loaded in several:
        settings = tuple(each for each in explained(loaded) if each.key != ("extends",))
        text = json.dumps(nested(settings), ensure_ascii=False)
        again = load_text(text, "again", tmp_path)

        assert values(again) == values(loaded)
        assert differences(loaded, again) == ()
        assert all(each.place for each in explained(again) if each.key != ("extends",))


def test_a_value_comes_from_its_own_file_a_base_a_shipped_policy_or_none(folder: Folder) -> None:
    folder.write("base.yaml", "extends: strict\nregeneration:\n  max_findings: 3\n")
    own = folder.write("acme.yaml", "extends: base\ntracing: {keep_days: 7}\n")

    settings = by_name(explained(load_file(own)))

    assert settings["tracing.keep_days"].place == Place(str(own), 2, 11)
    assert settings["regeneration.max_findings"].place == Place(
        str(folder.path / "base.yaml"), 3, 3
    )
    text = settings["tracing.text"]
    assert text.place is not None
    assert Path(text.place.file).name == "strict.yaml"
    assert is_shipped(text.place)
    assert settings["tracing.keep_last"].place is None
    assert settings["tracing.keep_last"].value == 100_000


def test_a_value_is_shown_as_it_is_applied(folder: Folder) -> None:
    settings = by_name(explained(load_file(folder.write("acme.yaml", UPSTREAM))))

    address = settings["upstream.base_url"]
    assert address.value == "http://127.0.0.1:8000/v1"
    assert address.place == Place(str(folder.path / "acme.yaml"), 2, 3)
    assert settings["guards.numbers.options.allow_from_question"].value is True


def test_a_guard_that_is_not_named_is_off(folder: Folder) -> None:
    path = folder.write("acme.yaml", "guards: {quality: {}, numbers: {mode: shadow}}")

    settings = by_name(explained(load_file(path)))

    modes = {name: settings[f"guards.{name}.mode"].value for name in all_guards()}
    expected = dict.fromkeys(all_guards(), "off") | {"quality": "enforce", "numbers": "shadow"}
    assert modes == expected
    assert settings["guards.names.mode"].place is None


def test_guards_keep_the_order_of_the_policy(folder: Folder) -> None:
    path = folder.write("acme.yaml", "guards: {quality: {}, numbers: {}, complaint: {}}")

    named = [each.key[1] for each in explained(load_file(path)) if each.key[2:] == ("mode",)]

    assert named[:3] == ["quality", "numbers", "complaint"]
    assert sorted(named) == sorted(all_guards())


def test_of_a_key_only_the_beginning_of_its_hash_is_shown(folder: Folder) -> None:
    hashes = [new_key("acme")[1], new_key("acme")[1]]
    path = folder.write("acme.yaml", f"tenant: acme\n{UPSTREAM}keys: {hashes}\n")

    settings = explained(load_file(path))

    assert by_name(settings)["keys"].value == [f"{each[:13]}…" for each in hashes]
    assert not any(part in repr(settings) for each in hashes for part in each.split(":")[1:])


def test_places_follow_a_reload(folder: Folder) -> None:
    path = folder.write("acme.yaml", "report: true\n")
    store = PolicyStore(folder.path)
    path.write_text("# New.\nreport: true\ntrimming: {most_claims: 2}\n")
    store.reload()

    settings = by_name(explained(store.snapshot.policies["acme"]))

    assert settings["report"].place == Place(str(path), 2, 1)


# --- a part of it ---------------------------------------------------------------------------------


@each_row("name, expected", "a_key_leads_to_what_is_below_it")
def test_a_key_leads_to_what_is_below_it(name: str, expected: list[str]) -> None:
    found = under(explained(load_shipped("default")), name)

    assert [each.name for each in found] == expected


@each_row("name, said", "a_key_that_does_not_exist_is_named_with_a_near_one")
def test_a_key_that_does_not_exist_is_named_with_a_near_one(name: str, said: str) -> None:
    with pytest.raises(NotThere) as caught:
        under(explained(load_shipped("default")), name)

    assert said in str(caught.value)


def test_changed_is_what_a_file_sets_otherwise_than_the_shipped_default(folder: Folder) -> None:
    path = folder.write(
        "acme.yaml",
        """
        extends: default
        guards:
          numbers: {mode: enforce, final: replace}
        trimming: {most_claims: 1}
        tracing: {text: full}
        templates: {acme: 안내해 드릴 내용이 없습니다.}
        """,
    )

    found = changed(explained(load_file(path)))

    names = {each.name for each in found}
    assert names == {"extends", "guards.numbers.final", "tracing.text", "templates.acme"}


# --- which policy is meant ------------------------------------------------------------------------


def test_a_tenant_comes_before_a_policy_and_that_before_a_shipped_one(folder: Folder) -> None:
    folder.write("acme.yaml", f"tenant: cafe\nkeys: ['{new_key('cafe')[1]}']\n{UPSTREAM}")
    folder.write("cafe.yaml", f"tenant: acme\nkeys: ['{new_key('acme')[1]}']\n{UPSTREAM}")
    folder.write("strict.yaml", "extends: strict\nreport: true\n")
    own = folder.load()

    assert policy_called("acme", own).name == "cafe"
    assert policy_called("strict", own).path == str(folder.path / "strict.yaml")
    assert policy_called("default", own) == load_shipped("default")


def test_a_name_that_is_nobodys_is_told_with_a_near_one(folder: Folder) -> None:
    folder.write("acme-hr.yaml", f"tenant: acme\n{UPSTREAM}")

    with pytest.raises(NotThere, match="no tenant and no policy 'acme-rh'; did you mean 'acme-hr'"):
        policy_called("acme-rh", folder.load())


# --- differences ----------------------------------------------------------------------------------


def test_no_policy_differs_from_itself(several: list[LoadedPolicy]) -> None:
    assert [differences(each, each) for each in several] == [()] * len(several)


def test_the_differences_make_one_policy_out_of_another(several: list[LoadedPolicy]) -> None:
    for first, second in permutations(several, 2):
        made = values(first)
        for each in differences(first, second):
            if each.key == ("guards",):  # their order
                continue
            made.pop(each.key, None)
            if each.second is not None and each.second.value not in (None, {}):
                made[each.key] = each.second.value
        assert made == values(second)


def test_whom_policies_serve_and_what_they_extend_is_no_difference(folder: Folder) -> None:
    a = folder.write(
        "a.yaml", f"extends: default\ntenant: a\nkeys: ['{new_key('cafe')[1]}']\n{UPSTREAM}"
    )
    folder.write("between.yaml", "extends: default\n")
    b = folder.write("b.yaml", f"extends: between\ntenant: b\n{UPSTREAM}")

    assert differences(load_file(a), load_file(b)) == ()


@each_row("first, second, keys", "what_differs")
def test_what_differs(first: str, second: str, keys: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("{}")
    a, b = (load_text(text, "draft", tmp_path) for text in (first, second))

    assert [each.name for each in differences(a, b)] == keys


def test_what_only_one_policy_has_stands_with_its_neighbours(folder: Folder) -> None:
    a = folder.write("a.yaml", "templates: {fallback: 가}\nreport: true\n")
    b = folder.write("b.yaml", "templates: {fallback: 나, names: 다}\n")

    found = differences(load_file(a), load_file(b))

    assert [each.name for each in found] == ["templates.fallback", "templates.names", "report"]
    assert found[1].first is None
    assert found[1].second == Setting(("templates", "names"), "다", Place(str(b), 1, 26))
