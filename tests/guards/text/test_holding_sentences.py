from hypothesis import example, given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.reading import SourceSet
from guards.text.features import features
from guards.text.held import INDEXED_FROM_SENTENCES
from guards.text.holding_sentences import HoldingSentences
from guards.text.likeness import LEAVES_A_REST, words_of
from guards.text.passages import Passages, Place
from guards.text.sentence_index import SentenceIndex
from guards.text.source_row import SourceRow

_WORDS = (
    "온실은 매점을 어두운 어둡다 신청하려면 신청 3일 5.5kg 1. 이상 이상으로서 이내에 휴가".split()
)
_SENTENCE = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(
    lambda words: " ".join(words) + " 쓴다."
)


@given(st.text(st.sampled_from("1.5, -/~:%일이상내의다가A\n()"), max_size=24))
@example("1. 온실은 5일 이내에 A4용지로 신청한다.")
def test_all_words_of_a_sentence_are_among_its_features_but_for_rests(sentence: str) -> None:
    if not LEAVES_A_REST.search(sentence):
        assert words_of(sentence).forms <= features(sentence).forms


@given(
    st.lists(_SENTENCE, min_size=1, max_size=40),
    _SENTENCE,
    st.sampled_from((0.3, 0.5, 0.75, 0.9)),
)
@example(["온실은 매점을 쓴다."] * 60, "온실은 매점을 쓴다.", 0.75)
@example(["온실은 매점을 쓴다."] * (INDEXED_FROM_SENTENCES + 1), "온실은 쓴다.", 0.5)
@example(["휴가 3일 이상으로서 쓴다."], "로서 휴가 쓴다.", 0.75)
def test_found_are_the_nearest_that_hold_enough(
    sentences: list[str], wanted: str, least: float
) -> None:
    sources = SourceSet((Source("1", "온실", "\n".join(sentences)),))
    passages = Passages(sources)
    places = {Place(0, at) for at in range(len(sources.parts[0].text.sentences))}
    words = words_of(wanted)

    found = HoldingSentences(passages, SourceRow(sources), places).of(words, least)

    index = SentenceIndex((place, passages.sentence(place)) for place in places)
    shares = [
        (words.share_in(words_of(passages.sentence(place))), place)
        for place in index.nearest(words)
    ]
    assert found == sorted((one for one in shares if one[0] >= least), reverse=True)
