from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Exchange, Source
from guards.core.reading import Asked
from guards.text.features import features
from guards.text.held import INDEXED_FROM_SENTENCES, Held, Wanted
from guards.text.held_claims import HeldClaims
from guards.text.overlap_score import Passage, best_in

SOURCES = (
    Source("1", "온실 안내", "온실은 화요일에 문을 닫는다. 입장료는 3,000원이다."),
    Source("2", "주차 안내", "주차장은 후문 옆 광장에 있다. 주차장은 월요일에 쉰다.", "온실.pdf"),
)
LONG = Source("3", "긴 문서", "주차장은 문을 닫는다.\n온실은 넓다.\n" * INDEXED_FROM_SENTENCES)
MANY = 1000
CLAIMS = st.text(alphabet="온실주차장은 화요일에 닫습니다문을.1[]", max_size=24)


def claims_of(*sources: Source) -> HeldClaims:
    return HeldClaims(Asked(Exchange("", sources)))


@given(CLAIMS, st.permutations([*SOURCES, LONG]))
def test_the_closest_sentences_are_those_that_hold_most_by_themselves(
    claim: str, sources: list[Source]
) -> None:
    asked = Asked(Exchange("", tuple(sources)))
    wanted = Wanted(features(claim))
    alone = {
        (source, at): wanted.share(held, wanted.words)
        for source, part in enumerate(asked.sources)
        for at, held in part.text.held_index.held(wanted).items()
    }

    found = asked.once(HeldClaims).of(claim).closest(0.2, 0.1, frozenset(), MANY)

    most = max(alone.values(), default=0.0)
    assert {place: share for share, place in found} == {
        place: share for place, share in alone.items() if share >= max(0.2, most - 0.1)
    }
    assert [share for share, _ in found] == sorted((share for share, _ in found), reverse=True)


@given(CLAIMS, st.permutations([*SOURCES, LONG]))
def test_a_window_lies_in_one_source_behind_its_title(claim: str, sources: list[Source]) -> None:
    asked = Asked(Exchange("", tuple(sources)))

    found = asked.once(HeldClaims).of(claim)

    parts = zip(sources, asked.sources, strict=True)
    passages = [Passage(source.title, part.text.held_index) for source, part in parts]
    windows = [*found.windows, 0]
    assert found.wanted.best_share(windows, found.wanted.words) == max(
        best_in(claim, passage) for passage in passages
    )


def test_the_heading_of_a_source_is_held_everywhere_in_it() -> None:
    found = claims_of(*SOURCES).of("온실 주차장 월요일")

    def share(held: Held) -> float:
        return found.wanted.share(held, found.wanted.words)

    assert share(found.best_window(0)) < share(found.best_window(1)) == 1
    assert share(found.known) == 1


def test_what_is_left_out_is_not_among_the_closest() -> None:
    found = claims_of(*SOURCES).of("주차장은 월요일에 쉽니다.")

    [(share, place)] = found.closest(0.3, 0.1, frozenset(), MANY)

    assert (share, place) == (1, (1, 1))
    assert all(one != place for _, one in found.closest(0.3, 0.1, frozenset({place}), MANY))


def test_figures_and_marks_make_no_other_claim() -> None:
    shared = claims_of(*SOURCES)

    assert shared.of("주차장은 3곳 있습니다.[1]") is shared.of("주차장은 있습니다.")


@given(st.lists(CLAIMS, min_size=1, max_size=90))
def test_a_claim_is_held_as_if_it_were_the_first(claims: list[str]) -> None:
    shared = claims_of(*SOURCES)

    for claim in claims:
        found = shared.of(claim).closest(0.0, 1.0, frozenset(), MANY)
        assert found == claims_of(*SOURCES).of(claim).closest(0.0, 1.0, frozenset(), MANY)
