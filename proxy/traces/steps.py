"""The pieces of a request's way, timed while it goes on."""

from collections.abc import Callable
from types import TracebackType

from proxy.traces.parts import Step


class Steps:
    """Steps in the order in which they began.

    Args:
        clock: Monotonic clock in seconds.
        began_s: When the request came in.
    """

    def __init__(self, clock: Callable[[], float], began_s: float) -> None:
        self._clock = clock
        self._began_s = began_s
        self._known: list[tuple[str, float, float]] = []

    def elapsed_ms(self) -> float:
        """Return the milliseconds since the request came in."""
        return (self._clock() - self._began_s) * 1000

    def step(self, name: str) -> "_Timed":
        """Time what happens inside, also when it fails."""
        return _Timed(self, self._known, name)

    def note(self, name: str, spent_s: float) -> None:
        """Note a step that ends now and was made of pieces with others between them."""
        spent_ms = spent_s * 1000
        self._known.append((name, max(0.0, self.elapsed_ms() - spent_ms), spent_ms))

    def all(self) -> tuple[Step, ...]:
        """Return them; one that goes on has taken no time."""
        return tuple(
            Step(name=name, started_ms=started_ms, duration_ms=spent_ms)
            for name, started_ms, spent_ms in self._known
        )


class _Timed:
    """A block of code that is a step; it is written down when it begins, for its place."""

    __slots__ = ("_began_ms", "_known", "_name", "_place", "_steps")

    def __init__(self, steps: Steps, known: list[tuple[str, float, float]], name: str) -> None:
        self._steps = steps
        self._known = known
        self._name = name

    def __enter__(self) -> None:
        self._began_ms = self._steps.elapsed_ms()
        self._place = len(self._known)
        self._known.append((self._name, self._began_ms, 0.0))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        spent_ms = self._steps.elapsed_ms() - self._began_ms
        self._known[self._place] = (self._name, self._began_ms, spent_ms)
