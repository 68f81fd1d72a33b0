"""What sentences hold of a claim, found by where the claim's words and syllable pairs stand.

A claim's words and pairs are numbered, and what a sentence holds of them is one integer with a bit
for each: what neighbouring sentences hold together is then the union of a few integers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from guards.text.features import Features, kept_features
from guards.text.postings import Postings, posted

INDEXED_FROM_SENTENCES = 150
"""In a text of more sentences than this only those are compared that share something rare."""
MOST_LOOKED_AT = 120

Held = int
"""What is held of a claim: the bits of its words and pairs (see `Wanted`)."""


class Wanted:
    """A claim's words and syllable pairs, with a bit for each.

    Attributes:
        claim: What is wanted.
        forms: For each stem and key of a predicate the bit of the word it stands for.
        pairs: The bit of each pair.
        words: The bits of all words.
    """

    def __init__(self, claim: Features) -> None:
        self.claim = claim
        bits = {name: 1 << at for at, name in enumerate(claim.words)}
        self.forms: Mapping[str, Held] = {form: bits[name] for form, name in claim.names.items()}
        self.pairs: Mapping[str, Held] = {
            pair: 1 << at for at, pair in enumerate(claim.pairs, start=len(bits))
        }
        self.words: Held = (1 << len(bits)) - 1
        self._pairs_of = [
            (bits[name], sum(map(self.pairs.__getitem__, pairs)), len(pairs))
            for name, pairs in claim.words.items()
        ]

    def held_in(self, sentence: Features) -> Held:
        """Return what a sentence holds."""
        held = 0
        for form in self.forms.keys() & sentence.forms:
            held |= self.forms[form]
        for pair in self.pairs.keys() & sentence.pairs:
            held |= self.pairs[pair]
        return held

    def share(self, held: Held, judged: Held) -> float:
        """Return how much of the judged words is held, from 0 to 1; 1 if there are none.

        A word that is not held counts in part if some of its pairs are; squared, as a stray pair
        says little.
        """
        if not judged:
            return 1.0
        total = float((held & judged).bit_count())
        missing = judged & ~held
        for word, pairs, count in self._pairs_of:
            if missing & word and (known := held & pairs):
                total += (known.bit_count() / count) ** 2
        return total / judged.bit_count()


class HeldIndex:
    """Neighbouring sentences by the words and syllable pairs that stand in them."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._sentences = sentences
        found = [kept_features(sentence) for sentence in sentences]
        self._by_form: Postings[str, int] = posted(enumerate(one.forms for one in found))
        self._by_pair: Postings[str, int] = posted(enumerate(one.pairs for one in found))

    def __len__(self) -> int:
        return len(self._sentences)

    def held(self, wanted: Wanted) -> dict[int, Held]:
        """Return what each sentence holds, by its place; those that hold nothing are left out."""
        if len(self) > INDEXED_FROM_SENTENCES:
            texts = {place: self._sentences[place] for place in self._rare_places(wanted.claim)}
            held_in = {text: wanted.held_in(kept_features(text)) for text in set(texts.values())}
            return {place: held_in[text] for place, text in texts.items()}
        held: defaultdict[int, Held] = defaultdict(int)
        for asked, standing in ((wanted.forms, self._by_form), (wanted.pairs, self._by_pair)):
            for name in asked.keys() & standing.keys():
                bit = asked[name]
                for place in standing[name]:
                    held[place] |= bit
        return dict(held)

    def _rare_places(self, claim: Features) -> set[int]:
        """Return the places of sentences that hold something of a claim.

        The rarest words and pairs are gone through first, up to a fixed amount of work, so that a
        claim takes the same time in a long text that repeats itself.
        """
        known = [self._by_form[form] for form in claim.names if form in self._by_form]
        found = {name for form, name in claim.names.items() if form in self._by_form}
        unknown = (
            pair
            for name, pairs in claim.words.items()
            if name not in found
            for pair in sorted(pairs)
        )
        in_part = [self._by_pair[pair] for pair in unknown if pair in self._by_pair]
        places: set[int] = set()
        for standing in sorted([*known, *in_part], key=len):
            places.update(standing[: MOST_LOOKED_AT - len(places)])
            if len(places) >= MOST_LOOKED_AT:
                break
        return places
