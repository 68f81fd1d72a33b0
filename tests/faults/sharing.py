"""Two whole proxies with one Redis: what they have in common."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from itertools import product
from pathlib import Path

import httpx

from proxy.traces.query import Query
from proxy.traces.tally import Bucket
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.loading import ANSWER, ASKED
from tests.proxy.dashboard.visitor import Visitor

LIMITED = "limits: {requests_per_minute: 3, concurrent_requests: 2}"


@asynccontextmanager
async def two_proxies(
    folder: Path, redis_url: str, policy: str = LIMITED, answer: str = ANSWER
) -> AsyncGenerator[tuple[RunningProxy, RunningProxy], None]:
    """Run two proxies with nothing in common but Redis, the policy and the model server."""
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(ScriptedUpstream().running())
        upstream.says(answer)
        proxies = []
        for name in ("first", "second"):
            (folder / name).mkdir()
            one = running_proxy(
                folder / name, upstream, policy, redis_url=redis_url, dashboard=True
            )
            proxies.append(await stack.enter_async_context(one))
        first, second = proxies
        yield first, second


async def assert_all_is_shared(first: RunningProxy, second: RunningProxy) -> None:
    """Limits, traces, counts, sessions and the live list."""
    async with Visitor(first.address) as visitor:
        await visitor.sign_in(ADMIN_TOKEN)
        before = await visitor.get("/dashboard/traces?live=1")
        replies = [await proxy.chat(ASKED) for proxy in (first, second, first, second)]
        ids = [reply.headers["x-guard-request-id"] for reply in replies[:3]]
        for reply, other in zip(replies[:3], (second, first, second), strict=True):
            assert (await other.trace(reply)).tenant == "app"
        for proxy, path in product((first, second), ("/dashboard", "/dashboard/traces")):
            page = await visitor.get(f"{proxy.address}{path}")
            assert page.status_code == httpx.codes.OK
        news = await visitor.get(f"/dashboard/traces/live?after={_live_cursor(before)}")
        no_news = await visitor.get(f"/dashboard/traces/live?after={_live_cursor(news)}")
    now = second.services.now()
    counted = await second.services.traces.tallies(
        None, now - timedelta(minutes=5), now + timedelta(minutes=1), Bucket.MINUTE
    )
    ready = (await second.client.get(f"{second.address}/readyz")).json()

    assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
    assert [one in news.text for one in ids] == [True] * 3
    assert [one in no_news.text for one in ids] == [False] * 3
    assert await second.services.traces.count(Query()) == 3
    assert sum(bucket.counts.get("requests", 0) for bucket in counted) == 3
    assert (ready["traces"]["store"], ready["limits"]["store"]) == ("ok", "ok")


def _live_cursor(page: httpx.Response) -> str:
    found = re.search(r'id="live-cursor" name="after" value="([^"]*)"', page.text)
    assert found
    return found[1]
