"""Names that are not in the sources.

Finds: organisations, departments, businesses, products, places and documents recognised by their
    head noun (구청, 센터, 레스토랑, 팀, 카드, 증명서), people with a title, buildings (별관), Latin
    names, and names in quotes beside a head noun, if neither the sources nor the question have them
    in any spacing, shortened or written out; offices and compound proper names of any other form
    (세무서장, 한국소비자원); another name in place of the source's in a sentence that is otherwise
    word for word; misspelt names; another office or name in a clause that otherwise says the same
    as a source; facilities and services that the answer says exist and no source mentions; a
    teacher, team, place or code meaning that a table or list assigns to something else.
Misses: other names in Hangul without a head noun; a common noun in place of another (수컷, 암컷);
    two swapped words of one source clause; names in advice on whom to ask; a name of the sources
    assigned to the wrong thing in free wording; a document that the sources require of somebody
    else; unusual kinds of facilities. Stations are left to `transport`, laws to `legal_citation`.
Score: 1.0 if the sources have another name at that place; 0.9 if they have none.
Source: our own lists in `guards.lexicons` and our own rules for Korean names.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.claims.reader import Claim
from guards.claims.standing import Standing, standing_of
from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.reading import Reading, RequestReading, SourceSet, Text, source_text
from guards.evidence.exchanged import exchanges, new_names
from guards.evidence.index import OWN, Bag, SourceIndex, claims_of
from guards.evidence.novelty import Vocabulary
from guards.evidence.opposites.meaning import covered
from guards.evidence.swapped import swap_in
from guards.evidence.values import by_sentence
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, content_words
from guards.lexicons.loading import section_words, sections
from guards.text.claims import statements
from guards.text.known_names import KnownNames, nearest, replaces_a_name
from guards.text.names import Name
from guards.text.namings import bound_names, misbound_names
from guards.text.normal import dense
from guards.text.sentences import LONGEST_SENTENCE_CHARS, Sentence

_SAME_SUBJECT = 0.5
_MOST_LIKE = 12


# 보호센터 등에서 입양하셨다면: one of several, named for the sake of the example.
_EXAMPLE = re.compile(r"\s?등(?=[에의을은이과\s])")


class Near(NamedTuple):
    """Names of one head in one sentence of a source, and the sentence."""

    names: tuple[str, ...]
    evidence: Evidence


class NamesByHead:
    """The names of some sources, by head and sentence."""

    def __init__(self, sources: SourceSet) -> None:
        self._index = sources.once(SourceIndex)
        self._names: dict[tuple[str, int, int], list[str]] = defaultdict(list)
        for number, (part, read) in enumerate(
            zip(sources.parts, self._index.readings, strict=True)
        ):
            for sentence, names in by_sentence(read, part.text.names):
                for name in names:
                    self._names[name.head, number, sentence[0].sentence].append(name.text)

    def near(self, name: Name, sentence: str) -> Near | None:
        """Return the names of a head in the source sentence nearest to a claim, if one is near.

        Args:
            name: A name of the claim.
            sentence: The claim.
        """
        if len(sentence) > LONGEST_SENTENCE_CHARS:
            return None
        words = content_words(morphemes(sentence.replace(name.text, " ")))
        telling = [word for word in words if not word.is_light]
        bag = Bag()
        bag.add(telling, OWN)
        best, best_share = None, _SAME_SUBJECT
        for _, one in self._index.nearest(bag.weights, _MOST_LIKE):
            names = self._names.get((name.head, one.source, one.claim.sentence))
            share = sum(covered(word, one.context) for word in telling) / len(telling)
            if names and share > best_share:
                quote = Evidence(one.source_id, self._index.text_of(one))
                best, best_share = Near(tuple(dict.fromkeys(names)), quote), share
        return best


_OFFERS = re.compile(
    r"있|운영|마련|갖추|갖춰|완비|구비|보유|제공|이용(?:하실|할|하시|이\s?가능)|이용\s?가능|예약(?:하실|할|이\s?가능)"
    r"|즐기|무료입|사용(?:하실|할)"
)
# 카페인, 스파게티, 셔틀콕
_NO_OTHER_WORD = "(?![인게크르클콕])"
_DENIES = re.compile(r"없|않|못|아니|아닙|불가|어렵|어려|확인되지|중단|폐쇄|휴관|[?？]\s*$")


class Facility(NamedTuple):
    """A facility in a text, the words that may stand for it (comparable), and its place."""

    text: str
    synonyms: tuple[str, ...]
    start: int
    end: int


def claimed_facilities(sentence: str) -> Iterator[Facility]:
    """Yield the facilities that a sentence says are there; none if it denies anything."""
    if not _OFFERS.search(sentence) or _DENIES.search(sentence):
        return
    for found in _words().finditer(sentence):
        yield Facility(found[0], _synonyms()[dense(found[0])], *found.span())


def _facilities() -> Iterator[list[str]]:
    return (line.split() for line in sections("facilities")["facilities"])


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return for each word all that excuse it."""
    groups = (tuple(dense(word) for word in group) for group in _facilities())
    return {word: group for group in groups for word in group}


@cache
def _words() -> re.Pattern[str]:
    telling = [
        r"\s?".join(word)
        for group in _facilities()
        for word in sorted(group, key=len, reverse=True)
        if "가" <= word[0] <= "힣" and word not in section_words("facilities", "excusing only")
    ]
    return re.compile(rf"(?:{'|'.join(telling)}){_NO_OTHER_WORD}")


class NamesSettings(GuardSettings):
    """Options of the guard."""

    known_names: tuple[str, ...] = Field(
        (), description="Names that need no source: brands, restaurants, facilities."
    )
    check_facilities: bool = Field(
        True, description="Report facilities said to be there of which no source knows."
    )
    check_bound: bool = Field(
        True, description="Report names that a table or list binds to something else."
    )
    check_replaced: bool = Field(
        True, description="Report names in the place of the source's own in a repeated sentence."
    )


class Names(Guard[NamesSettings]):
    """Report every name of the answer that neither sources nor question hold."""

    id = "names"
    label = Label("Names", "이름")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = NamesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "names.not_in_sources": Code(
            label=Label("A name that no source has", "출처에 없는 이름"),
            meaning="No source has the name.",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 이름입니다. 자료에 있는 이름만 쓰세요.'
            ),
        ),
        "names.differs": Code(
            label=Label("The sources have another name", "출처의 이름과 다름"),
            meaning="The sources have another name at this place.",
            instruction=(
                '"{observed}"{observed:은} 자료와 다릅니다. 자료의 이름 {expected}{expected:을} '
                "쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 자료와 다릅니다. 자료에서 이 내용에 맞는 이름을 확인해 '
                "쓰고, 없으면 쓰지 마세요."
            ),
        ),
        "names.misspelt": Code(
            label=Label("A name with one wrong letter", "한 글자가 틀린 이름"),
            meaning="The name differs from one in the sources in a single letter.",
            instruction='"{observed}"{observed:은} 자료의 표기 {expected}{expected:으로} 쓰세요.',
        ),
        "names.no_such_facility": Code(
            label=Label("A facility that no source mentions", "출처에 없는 시설이나 서비스"),
            meaning="No source mentions the facility or service that the answer says exists.",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 시설이나 서비스입니다. 있다고 쓰지 마세요.'
            ),
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read the claims of the sources, and the names that they bind."""
        request.source_set.once(bound_names)
        yield
        request.source_set.once(SourceIndex)
        yield
        request.once(Vocabulary)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Look the names of each claim up, then what stands in the place of names."""
        answer = reading.answer_text
        sentences = statements(answer.raw)
        clauses = [*self._clauses(reading)]
        found: list[Finding] = []
        if self.settings.check_replaced:
            found += self._exchanged(clauses, reading)
        found += self._unknown(answer, sentences, reading)
        if self.settings.check_replaced:
            found += self._replaced_names(sentences, reading)
        if self.settings.check_bound:
            found += self._misbound(reading)
        if self.settings.check_facilities:
            found += self._facilities(sentences, reading)
        found += self._new(clauses, reading)
        return _one_for_each_place(found)

    def _unknown(
        self, answer: Text, sentences: tuple[Sentence, ...], reading: Reading
    ) -> Iterator[Finding]:
        if not answer.names:
            return
        known = reading.request.once(_RequestNames)
        sources = known.in_sources(self.settings.known_names)
        starts = [sentence.start for sentence in sentences]
        advice = _advice(reading)
        for name in answer.names:
            at = bisect_right(starts, name.start) - 1
            if at < 0 or name.end > sentences[at].end or sentences[at].end <= reading.judged_from:
                continue
            if any(span.start <= name.start < span.end for span in advice):
                continue
            if not (sources.has(name) or known.echoed.has(name) or _is_phrase(name)):
                yield self._name_finding(name, sentences[at].text, sources, reading.source_set)

    def _name_finding(
        self, name: Name, sentence: str, sources: KnownNames, source_set: SourceSet
    ) -> Finding:
        span = Span(name.start, name.end)
        meant = nearest(name, sources.with_head(name.head)) if name.head else None
        if meant is not None:
            return self._finding("misspelt", span, name.text, (meant.text,), fix=meant.text)
        near = source_set.once(NamesByHead).near(name, sentence) if name.head else None
        if near is not None:
            return self._finding("differs", span, name.text, near.names, (near.evidence,))
        return self._finding("not_in_sources", span, name.text)

    def _replaced_names(
        self, sentences: tuple[Sentence, ...], reading: Reading
    ) -> Iterator[Finding]:
        for sentence in sentences:
            if sentence.end <= reading.judged_from:
                continue
            swap = swap_in(sentence.text, reading.source_set)
            if swap is None:
                continue
            known = reading.request.once(_RequestNames).anywhere(self.settings.known_names)
            if replaces_a_name(swap, known):
                start = sentence.start + swap.start
                yield self._finding(
                    "differs",
                    Span(start, start + len(swap.new)),
                    swap.new,
                    (swap.old,),
                    (Evidence(swap.source_id, swap.sentence),),
                )

    def _clauses(self, reading: Reading) -> Iterator[tuple[Claim, Sequence[Claim]]]:
        """Yield the clauses that assert something and are to be judged, with their sentences."""
        answer = reading.answer_text.once(claims_of)
        for sentence in answer.sentences:
            for claim in sentence:
                is_new = answer.page.raw_span(claim.start, claim.end)[1] > reading.judged_from
                if is_new and standing_of(claim, sentence) is Standing.ASSERTED:
                    yield claim, sentence

    def _exchanged(
        self, clauses: Sequence[tuple[Claim, Sequence[Claim]]], reading: Reading
    ) -> Iterator[Finding]:
        """Yield what stands in a clause where a source has something else."""
        vocabulary = reading.request.once(Vocabulary)
        for claim, sentence in clauses:
            for one in exchanges(claim, sentence, reading.source_set, vocabulary):
                if _EXAMPLE.match(claim.text, one.noun.end - claim.clause.start):
                    continue
                evidence = (Evidence(one.source.source_id, one.source.claim.text.strip()),)
                place = _place(one.noun, claim, reading)
                yield self._finding("differs", place, one.noun.text, (one.meant.text,), evidence)

    def _new(
        self, clauses: Sequence[tuple[Claim, Sequence[Claim]]], reading: Reading
    ) -> Iterator[Finding]:
        """Yield the names of clauses, of any form, that neither sources nor question have."""
        vocabulary = reading.request.once(Vocabulary)
        for claim, _ in clauses:
            for word in new_names(claim, vocabulary):
                known = reading.request.once(_RequestNames).anywhere(self.settings.known_names)
                place = _place(word, claim, reading)
                name = Name(word.text, place.start, place.end, "", dense(word.text))
                if not known.has(name):
                    yield self._finding("not_in_sources", place, word.text)

    def _misbound(self, reading: Reading) -> Iterator[Finding]:
        raw = reading.answer_text.raw
        for one in misbound_names(reading):
            evidence = (Evidence(one.source_id, one.meant.quote),)
            observed = raw[one.start : one.end]
            span = Span(one.start, one.end)
            found = self._finding("differs", span, observed, (one.meant.name,), evidence)
            # The answer may still give the right name, or what the given one is for.
            yield replace(found, provisional=True)

    def _facilities(self, sentences: tuple[Sentence, ...], reading: Reading) -> Iterator[Finding]:
        for sentence in sentences:
            if sentence.end <= reading.judged_from:
                continue
            for facility in claimed_facilities(sentence.text):
                # The question proves nothing here: whether there is a sauna is what it asks.
                known = reading.request.once(_RequestNames).in_sources(self.settings.known_names)
                if not any(known.holds(word) for word in facility.synonyms):
                    yield self._facility_finding(facility, sentence)

    def _facility_finding(self, facility: Facility, sentence: Sentence) -> Finding:
        span = Span(sentence.start + facility.start, sentence.start + facility.end)
        return self._finding("no_such_facility", span, facility.text)

    def _finding(
        self,
        kind: str,
        span: Span,
        observed: str,
        expected: tuple[str, ...] = (),
        evidence: tuple[Evidence, ...] = (),
        fix: str | None = None,
    ) -> Finding:
        return Finding(
            guard=self.id,
            code=f"names.{kind}",
            part="answer",
            span=span,
            observed=observed,
            strength=Strength.C2 if expected else Strength.E0,
            expected=expected,
            evidence=evidence,
            score=1.0 if expected else 0.9,
            fix=fix,
        )


class _RequestNames:
    """The names that a request holds; shared by all looks at its answers."""

    def __init__(self, request: RequestReading) -> None:
        titles = [source.title for source in request.exchange.sources if source.title]
        self._texts = [part.text for part in request.source_set.parts] + [*map(source_text, titles)]
        self._files = [source.file for source in request.exchange.sources if source.file]
        self._beside = [request.question.text, request.echo]
        self._in_sources: dict[tuple[str, ...], KnownNames] = {}
        self._anywhere: dict[tuple[str, ...], KnownNames] = {}
        self.echoed = KnownNames(self._beside)

    def in_sources(self, free: tuple[str, ...]) -> KnownNames:
        """Return what the sources name, with names that need none."""
        if free not in self._in_sources:
            self._in_sources[free] = KnownNames(self._texts, [*free, *self._files])
        return self._in_sources[free]

    def anywhere(self, free: tuple[str, ...]) -> KnownNames:
        """Return the same with what question and instructions name."""
        if free not in self._anywhere:
            self._anywhere[free] = KnownNames([*self._texts, *self._beside], [*free, *self._files])
        return self._anywhere[free]


def _advice(reading: Reading) -> list[Span]:
    """Return the clauses of an answer that tell where to ask, or that nothing is known."""
    answer = reading.answer_text.once(claims_of)
    return [
        Span(*answer.page.raw_span(claim.start, claim.end))
        for sentence in answer.sentences
        for claim in sentence
        if standing_of(claim, sentence) in {Standing.ADVICE, Standing.COURTESY, Standing.ABSTENTION}
    ]


def _is_phrase(name: Name) -> bool:
    """Tell whether what precedes a head is bound to it: 적으신 병원, 주민센터나 구청."""
    before, _, head = name.text.rpartition(" ")
    if head == name.head and before:
        return morphemes(before)[-1].tag.startswith(("E", "J"))
    return not name.head and morphemes(name.text)[0].tag in {"VV", "VA"}


def _place(word: Word, claim: Claim, reading: Reading) -> Span:
    """Return the place of a word of a clause in the answer."""
    page = reading.answer_text.once(claims_of).page
    return Span(*page.raw_span(claim.offset + word.start, claim.offset + word.end))


def _one_for_each_place(found: list[Finding]) -> list[Finding]:
    """Keep the first of several findings about the same words."""
    kept: list[Finding] = []
    spans: list[tuple[int, int]] = []
    for finding in found:
        span = finding.span
        at = bisect_left(spans, (span.start, span.end))
        # Those that are kept are apart, so that only the neighbours may share a word.
        is_free = at == 0 or spans[at - 1][1] <= span.start
        if is_free and (at == len(spans) or span.end <= spans[at][0]):
            spans.insert(at, (span.start, span.end))
            kept.append(finding)
    return kept
