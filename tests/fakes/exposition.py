"""Reads what `/metrics` says."""

from collections.abc import Iterable

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from tests.fakes.running_proxy import RunningProxy


def samples(text: str) -> list[Sample]:
    return [each for family in text_string_to_metric_families(text) for each in family.samples]


def value(among: Iterable[Sample], name: str, **labels: str) -> float:
    """Return the one sample of this name with these labels among its own."""
    [found] = [
        each.value for each in among if each.name == name and labels.items() <= each.labels.items()
    ]
    return found


async def scraped(proxy: RunningProxy) -> list[Sample]:
    reply = await proxy.client.get(f"{proxy.address}/metrics")
    kind, version, charset = reply.headers["content-type"].split("; ")
    assert (kind, version.partition("=")[0], charset) == ("text/plain", "version", "charset=utf-8")
    return samples(reply.text)
