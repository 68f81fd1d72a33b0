"""Prometheus itself reads the metrics of a proxy: rules, dashboard, and what pods are added by."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from tests.deploy.front import free_port
from tests.deploy.objects import at, each
from tests.deploy.test_queries import SHOWN
from tests.deploy.test_tools import tool
from tests.deploy.yaml_files import DEPLOY, document_in, written
from tests.fakes.command import running_as
from tests.fakes.paced_upstream import paced_upstream
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.flow.listening import talking
from tests.flow.waiting import eventually

pytestmark = pytest.mark.long

RULES = ("recording.yaml", "alerts.yaml")
POD = {"namespace": "guard-proxy", "pod": "guard-proxy-0"}
"""What the operator adds to all that it reads of a pod."""
STREAMS = 3


class Prometheus:
    """A server that reads one proxy every second, as a pod."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def is_up(self) -> bool:
        try:
            return (await self._client.get("/-/ready")).is_success
        except httpx.TransportError:
            return False

    async def get(self, path: str, **asked: str) -> JsonValue:
        reply = await self._client.get(f"/api/v1/{path}", params=asked)
        assert reply.is_success, reply.text
        found: JsonValue = reply.json()["data"]
        return found

    async def values(self, query: str) -> dict[str, str]:
        """Return what a query finds, by the pods that it names."""
        found = each(await self.get("query", query=query), "result")
        return {str(at(one, "metric.pod")): str(at(one, "value.1")) for one in found}


@asynccontextmanager
async def prometheus(folder: Path, proxy: RunningProxy) -> AsyncGenerator[Prometheus, None]:
    """Run it within this block, with the shipped rules."""
    address = proxy.address.removeprefix("http://")
    configuration = written(
        {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(DEPLOY / "prometheus" / name) for name in RULES],
            "scrape_configs": [
                {
                    "job_name": "guard-proxy",
                    "static_configs": [{"targets": [address], "labels": {**POD}}],
                }
            ],
        }
    )
    (folder / "prometheus.yaml").write_text(configuration, "utf-8")
    port = free_port()
    words = [
        tool("prometheus"),
        f"--config.file={folder}/prometheus.yaml",
        f"--storage.tsdb.path={folder}/series",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    async with (
        running_as(words, folder, {}),
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        server = Prometheus(client)
        await eventually(server.is_up)
        yield server


def adapter_rule() -> tuple[str, str]:
    """Return which series prometheus-adapter looks for, and what it then asks for one pod."""
    path = DEPLOY / "kubernetes" / "monitoring" / "adapter-rules.yaml"
    [rule] = each(document_in(path), "rules.custom")
    assert at(rule, "resources.overrides") == {name: {"resource": name} for name in POD}
    query = str(at(rule, "metricsQuery"))
    for placeholder, here in (
        ("<<.Series>>", str(at(rule, "name.matches"))),
        ("<<.LabelMatchers>>", ",".join(f'{name}="{value}"' for name, value in POD.items())),
        ("<<.GroupBy>>", "pod"),
    ):
        assert placeholder in query
        query = query.replace(placeholder, here)
    return str(at(rule, "seriesQuery")), query


async def test_the_autoscaler_is_told_of_each_open_stream(tmp_path: Path) -> None:
    series, query = adapter_rule()
    async with (
        paced_upstream() as model,
        running_proxy(tmp_path, model.raw, "stream: {mode: monitor}") as proxy,
        prometheus(tmp_path, proxy) as server,
    ):

        async def counts(open_streams: int) -> None:
            async def told() -> bool:
                return await server.values(query) == {POD["pod"]: str(open_streams)}

            await eventually(told)

        async with AsyncExitStack() as talks:
            for _ in range(STREAMS):
                body = chat_body("안녕하세요?", stream=True)
                await talks.enter_async_context(talking(proxy, model, body))
            await counts(STREAMS)
            found = await server.get("series", **{"match[]": series})
        await counts(0)

    assert isinstance(found, list)
    assert found
    assert all(fields.items() >= POD.items() for fields in found if isinstance(fields, dict))


async def test_rules_and_dashboard_are_answered(tmp_path: Path) -> None:
    async with (
        paced_upstream() as model,
        running_proxy(tmp_path, model.raw) as proxy,
        prometheus(tmp_path, proxy) as server,
    ):

        async def all_evaluated() -> bool:
            groups = each(await server.get("rules"), "groups")
            rules = [rule for group in groups for rule in each(group, "rules")]
            assert len(rules) > 20
            assert not [rule for rule in rules if rule["health"] == "err"]
            return all(rule["health"] == "ok" for rule in rules)

        await eventually(all_evaluated)
        for shown in SHOWN:
            query = str(shown.values[0]).replace("$__rate_interval", "1m")
            assert at(await server.get("query", query=query), "resultType") == "vector"
