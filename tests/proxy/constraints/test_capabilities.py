from dataclasses import dataclass

from proxy.pipeline.constraints import ASKED_AGAIN_S, Capabilities, ServerKind

HERE, THERE = "http://here/v1", "http://there/v1"


@dataclass
class Clock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_what_a_server_is_is_known_for_a_while() -> None:
    clock = Clock()
    known = Capabilities(clock)
    known.learn(HERE, ServerKind.VLLM)
    known.learn(THERE, None)

    assert [known.knows(HERE), known.knows(THERE), known.knows("http://x")] == [True, True, False]
    assert (known.kind(HERE), known.kind(THERE)) == (ServerKind.VLLM, None)
    clock.now_s += ASKED_AGAIN_S
    assert not known.knows(HERE)
    assert known.kind(HERE) is None


def test_a_server_that_cannot_is_left_alone_for_a_while() -> None:
    clock = Clock()
    known = Capabilities(clock)
    known.note_unable(HERE)

    assert [known.is_unable(HERE), known.is_unable(THERE)] == [True, False]
    clock.now_s += ASKED_AGAIN_S - 1
    assert known.is_unable(HERE)
    clock.now_s += 1
    assert not known.is_unable(HERE)
