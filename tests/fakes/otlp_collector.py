"""A collector of OpenTelemetry on a real socket: it reads what is sent and remembers it."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from litestar import Litestar, Request, Response, post
from litestar.datastructures import State
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from proxy.server.serving import served

PROTOBUF = "application/x-protobuf"
KINDS = {Span.SPAN_KIND_SERVER: "SERVER", Span.SPAN_KIND_CLIENT: "CLIENT"}

Value = str | bool | int | list[str]


@dataclass(frozen=True)
class Seen:
    """A span that was sent; ids in hexadecimal, times in nanoseconds."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    start_ns: int
    end_ns: int
    failed: bool
    attributes: Mapping[str, Value]


@dataclass(frozen=True)
class Point:
    """A point of a metric: its sum (of a histogram with `count`), and its upper bounds."""

    name: str
    unit: str
    attributes: Mapping[str, Value]
    total: float
    count: int = 1
    bounds: tuple[float, ...] = ()


@dataclass
class Collector:
    """Answers with `status`; what it is sent then counts as not taken."""

    address: str = ""
    status: int = 200
    raw: list[bytes] = field(default_factory=list)
    spans: list[Seen] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    resources: list[Mapping[str, Value]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    @property
    def server_span(self) -> Seen:
        [found] = [span for span in self.spans if span.kind == "SERVER"]
        return found

    def of_kind(self, kind: str) -> list[Seen]:
        found = (span for span in self.spans if span.kind == kind)
        return sorted(found, key=lambda span: span.start_ns)

    def metric(self, name: str) -> list[Point]:
        return [point for point in self.points if point.name == name]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Collector", None]:
        takers = {
            "/v1/traces": self._take_traces,
            "/v1/metrics": self._take_metrics,
            "/api/public/otel/v1/traces": self._take_traces,  # where Langfuse takes them
        }

        @post(list(takers), status_code=200)
        async def take(request: Request[object, object, State]) -> Response[bytes]:
            assert request.headers["content-type"] == PROTOBUF
            raw = await request.body()
            self.headers.append(dict(request.headers))
            if self.status == 200:
                self.raw.append(raw)
                takers[request.url.path](raw)
            return Response(b"", status_code=self.status, media_type=PROTOBUF)

        app = Litestar([take], openapi_config=None, logging_config=None)
        async with served(app) as self.address:
            yield self

    def _take_traces(self, raw: bytes) -> None:
        for sent in ExportTraceServiceRequest.FromString(raw).resource_spans:
            self.resources.append(_values(sent.resource.attributes))
            for scope in sent.scope_spans:
                self.spans += [_seen(span) for span in scope.spans]

    def _take_metrics(self, raw: bytes) -> None:
        self.points.clear()  # each batch says all from the start
        for sent in ExportMetricsServiceRequest.FromString(raw).resource_metrics:
            self.resources.append(_values(sent.resource.attributes))
            for scope in sent.scope_metrics:
                for metric in scope.metrics:
                    for one in metric.histogram.data_points:
                        self.points.append(
                            Point(
                                metric.name,
                                metric.unit,
                                _values(one.attributes),
                                one.sum,
                                one.count,
                                tuple(one.explicit_bounds),
                            )
                        )
                    for one in metric.sum.data_points:
                        about = _values(one.attributes)
                        self.points.append(Point(metric.name, metric.unit, about, one.as_int))


def _seen(span: Span) -> Seen:
    return Seen(
        name=span.name,
        kind=KINDS.get(span.kind, "INTERNAL"),
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        failed=span.status.code == 2,
        attributes=_values(span.attributes),
    )


def _values(attributes: Iterable[KeyValue]) -> dict[str, Value]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: AnyValue) -> Value:
    if value.HasField("array_value"):
        return [one.string_value for one in value.array_value.values]
    if value.HasField("bool_value"):
        return value.bool_value
    return value.int_value if value.HasField("int_value") else value.string_value
