"""What is read is freed as soon as nobody needs it: nothing waits for the collector of garbage."""

import gc
from collections.abc import Iterator

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from guards.core.reading import forget_sources
from policies.decision import Possible
from policies.inspection import Inspector
from policies.schema.loader import load_shipped

RULES = """제3조(연차휴가) ① 1년간 80% 이상 출근한 직원에게 15일의 휴가를 준다.
② 휴가는 3일 전까지 신청한다.
수영장은 오전 9시부터 오후 6시까지 열고 월요일에는 쉰다.
요금은 성인 30,000원, 어린이 15,000원이다.
| 구분 | 금액 |
|---|---|
| 주말 | 50,000원 |
| 평일 | 40,000원 |
문의는 서울특별시 가온로 12 가온호텔 02-123-4567로 한다.
2호선 가온역 3번 출구에서 5분 걸린다."""
ANSWERS = (
    "연차휴가는 15일입니다[1]. 3일 전까지 신청합니다[1]. 성인은 30,000원입니다[2].",
    "연차휴가는 25일입니다[1]. 어린이는 30,000원입니다[9]. 02-999-9999로 문의하세요.",
    "성인 2명과 어린이 1명은 30,000원 × 2 + 15,000원 = 75,000원입니다[2].",
)
KEPT_BY_THE_LATEST = 9
"""Some of what was read of so many requests is kept by the guards whatever the sources do."""


@pytest.fixture
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    gc.freeze()  # what other tests left need not be looked through each time
    yield
    gc.unfreeze()
    gc.enable()


def _looked_at(inspector: Inspector, answer: str, number: int) -> None:
    sources = (
        Source("1", f"취업규칙 {number}", RULES),
        Source("2", "이용 안내", f"{number}월 안내입니다. {RULES}"),
    )
    asked = Exchange("휴가는 며칠이고 요금은 얼마인가요?", sources)
    possible = Possible(regenerate=True, edit=True)
    inspector.inspect(asked, Stage.INPUT)
    inspector.of_segments.inspect(asked.answered(answer[:30]), Stage.OUTPUT, possible)
    verdict = inspector.inspect(asked.answered(answer), Stage.OUTPUT, possible)
    inspector.settled(asked.answered(answer), verdict, may_edit=True)


@pytest.mark.usefixtures("_no_collector")
def test_neither_a_look_nor_forgotten_sources_leave_garbage() -> None:
    inspector = Inspector(load_shipped("default").policy)

    def looks_at_all(number: int) -> None:
        for answer in ANSWERS:
            _looked_at(inspector, answer, number)

    looks_at_all(1)
    gc.collect()

    looks_at_all(2)
    after_looks = gc.collect()
    for number in range(3, 3 + KEPT_BY_THE_LATEST // len(ANSWERS)):
        looks_at_all(number)
    forget_sources()

    assert (after_looks, gc.collect()) == (0, 0)
