"""`guard-proxy replay` over the traces of real requests, in either store."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.openai_api.json_body import JsonObject
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import Database
from proxy.traces.trace import Trace
from tests.fakes.command import Ended, assert_refused, run
from tests.fakes.running_proxy import chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.pool import FEE, HOURS, QUESTION, WRONG_FEE, WRONG_LOCKER, asked
from tests.proxy.traces.making import a_trace, entries, now_ms

in_module_loop = pytest.mark.asyncio(loop_scope="module")

COMPLAINT = "왜 자꾸 모른다고만 해? 진짜 답답하네"
FULL = "tracing: {text: full}\n"
TENANTS = {
    "desk": f"{FULL}guards: {{numbers: {{mode: shadow}}}}\n",
    "wordless": "tracing: {text: none}\n",
}
POLICIES = {
    "same": "extends: app\nreport: true\n",
    "loose": "extends: app\nguards: {numbers: {mode: off}}\n",
    "told": "extends: app\nsources: {max_sources: 2}\ncitations: {instruct: true}\n"
    "judge: {base_url: http://127.0.0.1:9/v1, model: judge-ko}\n",
    "bare": "guards: {numbers: {mode: enforce}}\n",
}
HEARD = [
    ("app", asked(), (f"{FEE} {HOURS}",)),
    ("app", asked(), (f"{FEE} {HOURS} {WRONG_LOCKER}",)),
    ("app", asked(), (WRONG_FEE, f"{FEE} {HOURS}")),
    ("app", chat_body(COMPLAINT), ("네.",)),
    ("app", asked(n=-1), ("네.",)),
    ("desk", asked(), (FEE,)),
    ("desk", asked(), (WRONG_FEE,)),
    ("wordless", asked(), (FEE,)),
]
"""Who asks what, and what the model says, first and when it is told what was wrong."""


@dataclass(frozen=True)
class Kept:
    """A folder with policies and traces, where nothing runs any more."""

    folder: Path
    traces: list[Trace]

    @property
    def settings(self) -> dict[str, str]:
        return {"sqlite_path": str(self.folder / "traces.sqlite3"), "policies": "policies"}

    def replay(self, *words: str, **settings: str) -> Ended:
        # Each process that judges has to be started.
        words = ("--jobs", "1", *words)
        return run(self.folder, "replay", *words, **{**self.settings, **settings})

    def listed(self, *words: str, **settings: str) -> JsonObject:
        ended = self.replay(*words, "--json", **settings)
        assert ended.status in {0, 1}, ended
        listing: JsonObject = json.loads(ended.out)
        return listing

    def ids(self, place: int) -> list[str]:
        """Return the id of a request of `HEARD`."""
        return [self.traces[place].id]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("kept")
    (folder / "policies").mkdir()
    for name, text in POLICIES.items():
        (folder / "policies" / f"{name}.yaml").write_text(text, encoding="utf-8")
    traces = []
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, FULL, others=TENANTS) as proxy,
    ):
        for tenant, body, says in HEARD:
            upstream.says(*says)
            traces.append(await proxy.trace(await proxy.chat(body, key=proxy.keys[tenant])))
    return Kept(folder, traces)


def test_by_a_policy_that_judges_alike_nothing_changes(kept: Kept) -> None:
    listing = kept.listed("--policy", "same", "--tenant", "app", "--max-changed", "0%")

    assert (listing["read"], listing["judged"], listing["changed"]) == (5, 4, 0)
    assert listing["skipped"] == {"no_answer": 1}
    assert listing["is_within"] is True
    assert listing["changes"] == listing["examples"] == listing["notes"] == []
    assert {(each["before"], each["after"]) for each in objects_of(listing, "actions")} == {
        (action, action) for action in ("pass", "trim", "regenerate", "replace")
    }


def test_what_another_policy_changes_is_listed_for_programs(kept: Kept) -> None:
    listing = kept.listed("--policy", "policies/loose.yaml", "--examples", "9")

    assert (listing["policy"], listing["is_whole"]) == ("loose", True)
    assert (listing["read"], listing["judged"]) == (8, 6)
    assert listing["skipped"] == {"no_answer": 1, "no_text": 1}
    assert listing["changed"] == 2
    assert listing["share"] == pytest.approx(2 / 6)
    assert objects_of(listing, "changes") == [
        {"before": "regenerate", "after": "pass", "ids": kept.ids(2)},
        {"before": "trim", "after": "pass", "ids": kept.ids(1)},
    ]
    assert listing["guards"] == {
        "complaint": {"before": 1, "after": 1, "only_before": 0, "only_after": 0},
        "numbers": {"before": 2, "after": 0, "only_before": 2, "only_after": 0},
    }
    assert listing["tenants"] == {
        "app": {"judged": 4, "changed": 2, "unknown": 0},
        "desk": {"judged": 2, "changed": 0, "unknown": 0},
    }
    [_, trimmed] = objects_of(listing, "examples")
    assert (trimmed["id"], trimmed["question"]) == (kept.traces[1].id, QUESTION)
    assert trimmed["reasons_before"] == ["numbers.value_differs"]
    assert trimmed["seen"] == {
        "code": "numbers.value_differs",
        "observed": "30,000원",
        "expected": ["10,000원"],
        "by": "before",
    }


def test_people_get_a_page(kept: Kept) -> None:
    ended = kept.replay("--policy", "same", "--max-changed", "0.1")

    assert ended.status == 1, ended
    for shown in (
        "8 requests read, 6 of them judged again",
        "The trace was stored without texts (tracing.text: none).",
        "The request ended before there was a whole answer.",
        "pass -> regenerate",
        kept.traces[6].id,
        QUESTION,
        "+ numbers.value_differs: “57,000원” (expected 45,000원)",
        "The model would have been called again, and was not.",
        "note: desk judged 2 of the requests, and same does not extend it",
        "16.7 % of the judged requests change (1 of 6): more than the 10.0 % of --max-changed",
    ):
        assert shown in ended.out
    assert ended.err == ""


def test_within_the_limit_is_well(kept: Kept) -> None:
    ended = kept.replay("--policy", "same", "--max-changed", "17%", "--examples", "0")

    assert ended.status == 0, ended
    assert "within the 17.0 % of --max-changed" in ended.out
    assert QUESTION not in ended.out


def test_what_cannot_show_is_said(kept: Kept) -> None:
    by_itself = kept.listed("--policy", "app", "--tenant", "app")
    by_told = kept.listed("--policy", "told", "--tenant", "app")

    assert by_itself["notes"] == [
        "This very policy judged 4 of the requests: nothing changes in them."
    ]
    assert by_told["notes"] == [
        "Sources are taken as they were found; that `sources` differs changes nothing here.",
        "Answers are taken as they came; that `citations.instruct` differs changes none.",
        "The policy's judge is not called: what it would object to passes here.",
    ]


def test_only_what_is_wanted_is_read_newest_first(kept: Kept) -> None:
    trimmed = kept.listed("--policy", "default", "--since", "1h", "--action", "trim")
    newest = kept.listed("--policy", "same", "--limit", "2")

    assert trimmed["read"] == 1
    assert newest["judged_before_by"] == [
        {"policy": "desk", "version": kept.traces[6].policy.version, "requests": 1}
    ]


@in_module_loop
async def test_traces_in_redis_are_judged_alike(kept: Kept, redis_url: str) -> None:
    store = RedisStore(redis_url)
    await store.add(entries(*kept.traces))
    await store.close()

    listing = kept.listed("--policy", "loose", redis_url=redis_url)

    assert (listing["read"], listing["judged"], listing["changed"]) == (8, 6, 2)


# --- input that is wrong -------------------------------------------------------------------------

BAD = [
    pytest.param(["--policy", "strct"], "did you mean 'strict'?", id="no-such-policy"),
    pytest.param(["--policy", "nowhere.yaml"], "nowhere.yaml", id="no-such-file"),
    pytest.param(["--policy", "bare"], "has no template", id="a-reply-is-missing"),
    pytest.param(["--policy", "same", "--max-changed", "2"], "is not clear", id="two"),
    pytest.param(["--policy", "same", "--max-changed", "1"], "is not clear", id="one"),
    pytest.param(["--policy", "same", "--max-changed", "120%"], "is not clear", id="more-than-all"),
    pytest.param(["--policy", "same", "--max-changed", "few"], "no share", id="no-number"),
    pytest.param(["--policy", "same", "--since", "tomorrow"], "neither a time", id="no-time"),
    pytest.param(["--policy", "same", "--action", "bend"], "'bend' is not one", id="no-action"),
    pytest.param(
        ["--policy", "same", "--tenant", "nobody", "--max-changed", "2%"],
        "Nothing was judged",
        id="nothing-to-hold-against-the-limit",
    ),
]


@pytest.mark.parametrize(("words", "said"), BAD)
def test_input_that_is_wrong_is_told(kept: Kept, words: list[str], said: str) -> None:
    ended = kept.replay(*words)

    assert ended.status == 2, ended
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_store_that_is_away_is_named(kept: Kept) -> None:
    ended = kept.replay("--policy", "same", sqlite_path="policies/same.yaml/traces.sqlite3")

    assert_refused(ended, "The embedded trace store cannot be used")


def test_where_no_file_is_it_is_named_and_none_is_made(tmp_path: Path) -> None:
    ended = run(tmp_path, "replay", "--policy", "strict")

    assert_refused(ended, f"there is no file {tmp_path / 'guard-proxy.sqlite3'};")
    assert list(tmp_path.iterdir()) == []


async def test_what_cannot_be_read_is_logged_apart_from_what_programs_read(tmp_path: Path) -> None:
    broken, good = entries(a_trace("broken"), a_trace("good"))
    database = await Database.open(tmp_path / "traces.sqlite3")
    await EmbeddedStore(database, now_ms).add([replace(broken, record="{"), good])
    await database.close()

    path = str(tmp_path / "traces.sqlite3")
    words = ("--policy", "strict", "--json", "--jobs", "1")
    ended = run(tmp_path, "replay", *words, sqlite_path=path)

    assert json.loads(ended.out)["read"] == 1
    assert "trace.unreadable" in ended.err


def test_no_traces_are_no_failure(kept: Kept) -> None:
    ended = kept.replay("--policy", "same", "--until", "2020-01-01")

    assert ended.status == 0
    assert "No stored request matches." in ended.out


def objects_of(listing: JsonObject, name: str) -> list[JsonObject]:
    found = listing[name]
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, dict)]
