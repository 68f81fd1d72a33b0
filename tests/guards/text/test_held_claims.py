from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.reading import Asked
from guards.text.features import features
from guards.text.held import Wanted
from guards.text.held_claims import HeldClaims

SOURCES = (
    Source("1", "온실 안내", "온실은 화요일에 문을 닫는다. 입장료는 3,000원이다."),
    Source("2", "주차 안내", "주차장은 후문 옆 광장에 있다. 주차장은 월요일에 쉰다."),
)
CLAIMS = st.text(alphabet="온실주차장은 화요일에 닫습니다문을.1[]", max_size=24)


@given(st.lists(CLAIMS, min_size=1, max_size=90))
def test_a_claim_is_held_as_if_it_were_the_first(claims: list[str]) -> None:
    asked = Asked(Exchange("", SOURCES))
    shared = asked.once(HeldClaims)

    for claim in claims:
        found, wanted = shared.of(claim), Wanted(features(claim))
        held = [part.text.held_index.held(wanted) for part in asked.sources]
        assert [found.wanted.share(one, found.wanted.words) for each in found.held
                for _, one in sorted(each.items())] == [
            wanted.share(one, wanted.words) for each in held for _, one in sorted(each.items())
        ]  # fmt: skip
        assert [sorted(each) for each in found.held] == [sorted(each) for each in held]


def test_figures_and_marks_make_no_other_claim() -> None:
    shared = HeldClaims(Asked(Exchange("", SOURCES)))

    assert shared.of("주차장은 3곳 있습니다.[1]") is shared.of("주차장은 있습니다.")
