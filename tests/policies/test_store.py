import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from policies.schema.base import PolicyError, Problem
from policies.schema.keys import salted_hash
from policies.schema.loader import LoadedPolicy
from policies.schema.store import PolicyStore, Reload

DEADLINE_S = 120
SALT = "5a" * 16
START = datetime(2031, 1, 1, tzinfo=UTC)


def tenant_file(name: str, *, key: str = "", report: bool = False) -> str:
    keys = f"['{salted_hash(key, SALT)}']" if key else "[]"
    return (
        f"tenant: {name}\nkeys: {keys}\nreport: {str(report).lower()}\n"
        "upstream: {base_url: http://127.0.0.1:8000/v1}\nstream: {mode: buffer}\n"
    )


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "a.yaml").write_text(tenant_file("a", key="key-a"))
    (folder / "b.yaml").write_text(tenant_file("b", key="key-b"))
    (folder / "base.yaml").write_text("report: false\n")
    return folder


def replace_as_editors_do(path: Path, text: str) -> None:
    fresh = path.with_name(f".{path.name}.tmp")
    fresh.write_text(text)
    fresh.replace(path)


class Watched:
    """A store that is being watched, and what it reported."""

    def __init__(self, store: PolicyStore) -> None:
        self.store = store
        self.outcomes: asyncio.Queue[Reload] = asyncio.Queue()

    async def next(self) -> Reload:
        async with asyncio.timeout(DEADLINE_S):
            return await self.outcomes.get()

    async def until(self, reached: Callable[[Reload], bool]) -> Reload:
        while True:
            outcome = await self.next()
            if reached(outcome):
                return outcome


@asynccontextmanager
async def watched(directory: Path, *, force_polling: bool = False) -> AsyncIterator[Watched]:
    watch = Watched(PolicyStore(directory))
    task = asyncio.create_task(
        watch.store.watch(watch.outcomes.put_nowait, force_polling=force_polling, look_every_s=0.5)
    )
    yield watch
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- the start and plain reloads -------------------------------------------------------------


def test_tenants_are_found_by_name(directory: Path) -> None:
    snapshot = PolicyStore(directory, now=lambda: START).snapshot

    assert sorted(snapshot.policies) == ["a", "b", "base"]
    assert sorted(snapshot.tenants) == ["a", "b"]
    assert snapshot.tenants["b"].policy.keys == (salted_hash("key-b", SALT),)
    assert snapshot.loaded_at == START


def test_each_policy_says_since_when_it_stands_as_it_does(directory: Path) -> None:
    moments = iter([START, START + timedelta(hours=1), START + timedelta(hours=2)])
    store = PolicyStore(directory, now=lambda: next(moments))
    assert store.snapshot.since == dict.fromkeys(("a", "b", "base"), START)

    (directory / "a.yaml").write_text(tenant_file("a", report=True))
    (directory / "new.yaml").write_text("report: true\n")
    (directory / "base.yaml").unlink()
    store.reload()

    later = START + timedelta(hours=1)
    assert store.snapshot.since == {"a": later, "b": START, "new": later}
    store.reload()  # nothing has changed
    assert store.snapshot.since == {"a": later, "b": START, "new": later}


def test_a_broken_file_at_the_start_is_an_error(directory: Path) -> None:
    (directory / "b.yaml").write_text("tenant: [")

    with pytest.raises(PolicyError, match=r"b\.yaml"):
        PolicyStore(directory)


def test_a_missing_key_of_a_model_server_at_the_start_is_an_error(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET_HERE", raising=False)
    upstream = "upstream: {base_url: http://h/v1, api_key_env: NOT_SET_HERE}"
    (directory / "c.yaml").write_text(f"tenant: c\n{upstream}\nstream: {{mode: buffer}}\n")

    with pytest.raises(PolicyError, match="NOT_SET_HERE"):
        PolicyStore(directory)
    assert "c" in PolicyStore(directory, require_env=False).snapshot.tenants


def test_a_request_keeps_the_snapshot_it_began_with(directory: Path) -> None:
    store = PolicyStore(directory)
    began_with = store.snapshot
    (directory / "a.yaml").unlink()

    assert store.reload().changed == ("a",)
    assert "a" in began_with.tenants
    assert "a" not in store.snapshot.tenants


def test_one_broken_file_keeps_the_whole_last_good_snapshot(directory: Path) -> None:
    store = PolicyStore(directory)
    good = store.snapshot
    (directory / "a.yaml").write_text(tenant_file("a", report=True))
    (directory / "b.yaml").write_text("tenant: [")

    outcome = store.reload()

    assert store.snapshot is outcome.snapshot is good
    assert outcome.changed == ()
    assert store.last_error is outcome.error
    assert "b.yaml:1" in str(store.last_error)


def test_a_mended_file_takes_the_error_away(directory: Path) -> None:
    store = PolicyStore(directory)
    (directory / "b.yaml").write_text("tenant: [")
    store.reload()
    (directory / "b.yaml").write_text(tenant_file("b", report=True))

    outcome = store.reload()

    assert (outcome.changed, outcome.error, store.last_error) == (("b",), None, None)


def test_an_emptied_directory_keeps_the_last_good_snapshot(directory: Path) -> None:
    store = PolicyStore(directory)
    for path in directory.iterdir():
        path.unlink()

    assert store.reload().error is not None
    assert sorted(store.snapshot.tenants) == ["a", "b"]


# --- watching --------------------------------------------------------------------------------


@pytest.mark.parametrize("force_polling", [False, True], ids=["told", "polling"])
async def test_an_edit_in_place_is_picked_up(directory: Path, force_polling: bool) -> None:
    async with watched(directory, force_polling=force_polling) as watch:
        (directory / "a.yaml").write_text(tenant_file("a", report=True))
        await watch.until(lambda outcome: outcome.changed == ("a",))

        assert watch.store.snapshot.tenants["a"].policy.report


async def test_an_editors_replacing_is_picked_up(directory: Path) -> None:
    async with watched(directory) as watch:
        replace_as_editors_do(directory / "a.yaml", tenant_file("a", report=True))

        assert (await watch.next()).changed == ("a",)


async def test_new_and_removed_files_are_picked_up(directory: Path) -> None:
    async with watched(directory) as watch:
        replace_as_editors_do(directory / "c.yaml", tenant_file("c"))
        assert (await watch.next()).changed == ("c",)

        (directory / "c.yaml").unlink()
        assert (await watch.next()).changed == ("c",)


async def test_a_broken_edit_is_reported_and_then_mended(directory: Path) -> None:
    async with watched(directory) as watch:
        replace_as_editors_do(directory / "a.yaml", "tenant: [")
        broken = await watch.next()

        assert broken.error is not None
        assert broken.error is watch.store.last_error
        assert sorted(broken.snapshot.tenants) == ["a", "b"]

        replace_as_editors_do(directory / "a.yaml", tenant_file("a", key="key-a"))
        mended = await watch.next()

        assert mended.error is None
        assert mended.changed == ()
        assert watch.store.last_error is mended.error


async def test_what_changes_nothing_is_not_reported(directory: Path) -> None:
    async with watched(directory) as watch:
        (directory / "notes.txt").write_text("nothing to do with policies")
        replace_as_editors_do(directory / "a.yaml", tenant_file("a", key="key-a"))
        replace_as_editors_do(directory / "b.yaml", tenant_file("b", report=True))

        assert (await watch.until(lambda outcome: True)).changed == ("b",)


async def test_a_mounted_folder_swapped_by_its_link_is_picked_up(tmp_path: Path) -> None:
    """As Kubernetes does: files are links into `..data`, which is itself a link, swapped whole."""
    mount = tmp_path / "mount"
    for revision, report in (("..rev1", False), ("..rev2", True)):
        (mount / revision).mkdir(parents=True)
        (mount / revision / "a.yaml").write_text(tenant_file("a", report=report))
    (mount / "..data").symlink_to("..rev1")
    (mount / "a.yaml").symlink_to("..data/a.yaml")

    async with watched(mount) as watch:
        (mount / "..data_tmp").symlink_to("..rev2")
        os.replace(mount / "..data_tmp", mount / "..data")

        assert (await watch.next()).changed == ("a",)
        assert watch.store.snapshot.tenants["a"].policy.report


async def test_a_directory_that_is_itself_a_swapped_link_is_picked_up(tmp_path: Path) -> None:
    for revision, report in (("one", False), ("two", True)):
        (tmp_path / revision).mkdir()
        (tmp_path / revision / "a.yaml").write_text(tenant_file("a", report=report))
        (tmp_path / revision / ".#a.yaml").symlink_to("an editor's lock that leads nowhere")
    current = tmp_path / "current"
    current.symlink_to("one")

    async with watched(current) as watch:
        (tmp_path / "next").symlink_to("two")
        os.replace(tmp_path / "next", current)

        assert (await watch.next()).changed == ("a",)


async def test_a_directory_that_is_gone_for_a_while_is_picked_up_again(
    directory: Path, tmp_path: Path
) -> None:
    async with watched(directory) as watch:
        os.replace(directory, tmp_path / "aside")
        gone = await watch.next()
        assert gone.error is not None
        assert sorted(gone.snapshot.tenants) == ["a", "b"]

        os.replace(tmp_path / "aside", directory)
        assert (await watch.next()).error is None


async def test_an_edit_before_the_watching_began_is_picked_up(directory: Path) -> None:
    store = PolicyStore(directory)
    (directory / "a.yaml").write_text(tenant_file("a", report=True))
    outcomes: asyncio.Queue[Reload] = asyncio.Queue()
    task = asyncio.create_task(store.watch(outcomes.put_nowait, look_every_s=0.5))

    async with asyncio.timeout(DEADLINE_S):
        assert (await outcomes.get()).changed == ("a",)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_what_who_serves_cannot_do_is_refused_like_a_broken_file(directory: Path) -> None:
    def objections(found: Mapping[str, LoadedPolicy]) -> list[Problem]:
        return [
            Problem(loaded.entry.at(("report",)), "report", "nobody could send it")
            for loaded in found.values()
            if loaded.policy.report
        ]

    store = PolicyStore(directory, now=lambda: START, objections=objections)
    (directory / "a.yaml").write_text(tenant_file("a", report=True))

    outcome = store.reload()

    assert str(outcome.error) == f"{directory}/a.yaml:3:1: report: nobody could send it"
    assert store.snapshot.tenants["a"].policy.report is False
    with pytest.raises(PolicyError, match="nobody could send it"):
        PolicyStore(directory, objections=objections)


def test_the_directory_is_read_again_only_if_its_files_are_others(directory: Path) -> None:
    store = PolicyStore(directory)
    before = store.snapshot

    store.reload_if_changed()
    assert store.snapshot is before

    (directory / "c.yaml").write_text(tenant_file("c"))
    store.reload_if_changed()
    assert sorted(store.snapshot.tenants) == ["a", "b", "c"]


def test_what_changes_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "hr.yaml"
    path.write_text("extends: default\n")
    edits = iter(["extends: default\nreport: true\n"])

    def edited_meanwhile(_: object) -> tuple[()]:
        for text in edits:
            path.write_text(text)
        return ()

    store = PolicyStore(tmp_path, objections=edited_meanwhile)

    assert store.snapshot.policies["hr"].policy.report is True
    assert not list(edits)


def test_what_never_stops_changing_is_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "hr.yaml"
    path.write_text("extends: default\n")

    def edited_always(_: object) -> tuple[()]:
        path.write_text(path.read_text() + "# one more line\n")
        return ()

    with pytest.raises(PolicyError, match="does not stop changing"):
        PolicyStore(tmp_path, objections=edited_always)
