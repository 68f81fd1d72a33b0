"""Labelled requests as a golden set: exported, run by `eval` and `replay`, and held by a policy."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.openai_api.json_body import JsonObject
from tests.fakes.command import Ended, run, run_process
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.pool import FEE, HOURS, WRONG_FEE, WRONG_LOCKER, asked

in_module_loop = pytest.mark.asyncio(loop_scope="module")
COMPLAINT = "왜 자꾸 모른다고만 해? 진짜 답답하네"
CALL = "문의는 010-1234-5678로 해 주세요."
TENANTS = {
    "lenient": "guards: {numbers: {mode: shadow}}\n",
    "wordless": "tracing: {text: none}\n",
}
POLICIES = {
    "better": "extends: app\n",
    "worse": "extends: app\nguards: {numbers: {mode: off}, complaint: {mode: off}}\n",
}


@dataclass(frozen=True)
class Labelled:
    """A folder with labelled traces, where nothing runs any more; ids by what they are."""

    folder: Path
    ids: dict[str, str]

    def run(self, *words: str) -> Ended:
        sqlite = str(self.folder / "traces.sqlite3")
        # A command that serves sets signals, which only the first thread of a process may.
        how = run_process if words[0] == "eval" else run
        return how(self.folder, *words, sqlite_path=sqlite, policies="policies")

    def exported(self, *words: str) -> tuple[dict[str, JsonObject], str]:
        """Return the cases of a set by the names of their requests, and what was said beside."""
        ended = self.run("golden", "export", *words)
        assert ended.status == 0, ended
        names = {trace_id: name for name, trace_id in self.ids.items()}
        return {names[case["id"]]: case for case in json.loads(ended.out)["cases"]}, ended.err


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def labelled(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Labelled, None]:
    folder = tmp_path_factory.mktemp("labelled")
    (folder / "policies").mkdir()
    for name, text in POLICIES.items():
        (folder / "policies" / f"{name}.yaml").write_text(text, encoding="utf-8")
    ids: dict[str, str] = {}
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, others=TENANTS) as proxy,
    ):

        async def labels(name: str, label: str, *, tenant: str = "app", **more: str) -> None:
            body = {"request_id": ids[name], "label": label, **more}
            reply = await proxy.client.post(
                f"{proxy.base_url}/feedback",
                json=body,
                headers={"authorization": f"Bearer {proxy.keys[tenant]}"},
            )
            assert reply.status_code == 200, reply.text

        ids["good"] = await served(proxy, upstream, f"{FEE} {HOURS}")
        await labels("good", "right", note="그대로 맞음")
        ids["caught"] = await served(proxy, upstream, f"{FEE} {HOURS} {WRONG_LOCKER}")
        await labels("caught", "right")
        ids["alarm"] = await served(proxy, upstream, WRONG_FEE)
        await labels("alarm", "false_alarm")
        upstream.says("네.")
        reply = await proxy.chat(chat_body(COMPLAINT))
        ids["complaint"] = (await proxy.trace(reply)).id
        await labels("complaint", "false_alarm")
        ids["missed"] = await served(proxy, upstream, WRONG_FEE, tenant="lenient")
        await labels("missed", "missed", tenant="lenient", quote="57,000원")
        ids["called"] = await served(proxy, upstream, f"{FEE} {HOURS}", tenant="lenient")
        await labels("called", "missed", tenant="lenient", note=CALL)
        ids["wordless"] = await served(proxy, upstream, FEE, tenant="wordless")
        await labels("wordless", "right", tenant="wordless")
        ids["plain"] = await served(proxy, upstream, FEE)
    yield Labelled(folder, ids)


async def served(
    proxy: RunningProxy, upstream: ScriptedUpstream, says: str, tenant: str = "app"
) -> str:
    upstream.says(says)
    reply = await proxy.chat(asked(), key=proxy.keys[tenant])
    return (await proxy.trace(reply)).id


@in_module_loop
async def test_each_label_becomes_what_has_to_come_of_the_request(labelled: Labelled) -> None:
    cases, said = labelled.exported()

    assert set(cases) == {"good", "caught", "alarm", "complaint", "missed", "called"}
    assert cases["good"]["expected_action"] == ["pass"]
    assert cases["good"]["about"] == "그대로 맞음"
    assert cases["good"]["model"] == [f"{FEE} {HOURS}"]
    assert "pass" not in str(cases["caught"]["expected_action"])
    assert cases["caught"]["expected_reason"] == ["numbers.value_differs"]
    assert cases["alarm"]["expected_action"] == ["pass"]
    assert cases["complaint"]["forbidden_reason"]
    assert cases["missed"]["forbidden_keywords"] == ["57,000원"]
    assert (cases["missed"]["category"], cases["missed"]["scope"]) == ("missed", "lenient")
    assert "pass" not in str(cases["called"]["expected_action"])
    assert "010-1234-5678" not in json.dumps(cases, ensure_ascii=False)
    assert "6 exported" in said
    assert "1 left out: The trace was stored without texts (tracing.text: none)." in said


@in_module_loop
async def test_tenant_and_label_narrow_the_export(labelled: Labelled) -> None:
    assert set(labelled.exported("--tenant", "lenient")[0]) == {"missed", "called"}
    assert set(labelled.exported("--label", "false_alarm")[0]) == {"alarm", "complaint"}

    nothing = labelled.run("golden", "export", "--tenant", "wordless")
    assert (nothing.status, nothing.out) == (2, "")
    assert "nothing to export" in nothing.err
    wrong = labelled.run("golden", "export", "--output", "set.yaml")
    assert wrong.status == 2


@in_module_loop
@pytest.mark.parametrize("how", ["eval", "replay"])
async def test_the_set_runs_as_it_is(labelled: Labelled, how: str) -> None:
    file = labelled.folder / f"{how}.json"
    assert labelled.run("golden", "export", "--output", str(file)).status == 0
    by_policy = ["--policy", "policies/better.yaml", "--json"]
    words = [*(["--scripted"] if how == "eval" else []), *by_policy]

    ended = labelled.run(how, str(file), *words)

    outcomes = {case["id"]: case["outcome"] for case in json.loads(ended.out)["cases"]}
    # By the policy that judged them false alarms stay so; the lenient tenant's miss is found now.
    assert outcomes == {
        labelled.ids["good"]: "passed",
        labelled.ids["caught"]: "passed",
        labelled.ids["alarm"]: "failed",
        labelled.ids["complaint"]: "failed",
        labelled.ids["missed"]: "passed",
        labelled.ids["called"]: "failed",
    }
    assert ended.status == 1


@in_module_loop
@pytest.mark.parametrize("how", ["eval", "replay"])
async def test_a_policy_without_the_guard_mends_the_false_alarms_and_loses_the_rest(
    labelled: Labelled, how: str
) -> None:
    file = labelled.folder / f"{how}-worse.json"
    assert labelled.run("golden", "export", "--output", str(file)).status == 0
    words = ["--scripted"] if how == "eval" else []

    ended = labelled.run(how, str(file), *words, "--policy", "policies/worse.yaml", "--json")

    outcomes = {case["id"]: case["outcome"] for case in json.loads(ended.out)["cases"]}
    assert [outcomes[labelled.ids[name]] for name in ("alarm", "complaint")] == ["passed"] * 2
    assert [outcomes[labelled.ids[name]] for name in ("caught", "missed")] == ["failed"] * 2


@in_module_loop
async def test_replay_says_what_gets_better_and_worse(labelled: Labelled) -> None:
    ended = labelled.run("replay", "--policy", "worse", "--label", "any", "--json")

    listing = json.loads(ended.out)
    assert listing["read"] == 7
    assert {effect: set(ids) for effect, ids in listing["labelled"].items()} == {
        "better": {labelled.ids["alarm"], labelled.ids["complaint"]},
        "worse": {labelled.ids["caught"]},
        "same": {labelled.ids[name] for name in ("good", "missed", "called")},
    }
    shown = labelled.run("replay", "--policy", "better", "--label", "missed")
    assert "labelled requests: 1 better, 1 same" in shown.out
    assert labelled.ids["missed"] in shown.out


@in_module_loop
async def test_a_set_has_no_filters(labelled: Labelled) -> None:
    ended = labelled.run("replay", "attacks", "--policy", "worse", "--tenant", "app")

    assert ended.status == 2
    assert "golden set" in ended.err


@in_module_loop
async def test_traces_are_listed_and_shown_with_their_labels(labelled: Labelled) -> None:
    listed = json.loads(labelled.run("traces", "list", "--label", "missed", "--json").out)
    assert {trace["id"] for trace in listed} == {labelled.ids["missed"], labelled.ids["called"]}
    assert "is not one of" in labelled.run("traces", "list", "--label", "bad").err
    shown = labelled.run("traces", "show", labelled.ids["missed"]).out
    assert "label:       missed at “57,000원”" in shown
