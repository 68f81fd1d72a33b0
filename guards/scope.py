"""Facts about something else than what was asked.

Finds: with `scopes` (the houses of a chain, each with its names) claims that name another house
    than the one asked about, or that only the sources of another one support; with `categories`
    (rooms, dining …) claims of another category than the question's; without either, an answer
    about another place or organisation than the one that the question names (asked 영통구,
    answered 팔달구).
Misses: a fact of another house that a source of the right one has too; a question that names
    several; an answer that mentions what was asked and then turns to something else.
Score: 1.0 where another name stands in the claim; 0.8 where only its sources tell.
Source: names and words of the policy, and own rules for Korean names.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.lazy import lazy
from guards.core.reading import Reading
from guards.text.entity_drift import drifts
from guards.text.source_support import (
    Claim,
    SupportingSource,
    best_source,
    claims_with_figures,
)
from guards.text.word_groups import Mention, WordGroups

_SUPPORTS = 0.6
_CLEARLY_MORE = 0.25
_RESTS_ON = 0.4
_Groups = frozenset[str]


class ScopeSettings(GuardSettings):
    """Options of the guard."""

    scopes: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Houses, products or regions that must not be mixed up, each with its names.",
    )
    categories: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="Subjects that must not be mixed up, each with the words that tell it.",
    )
    check_entities: bool = Field(
        True, description="Report answers about another place or organisation than the question's."
    )


class OtherScope(Guard[ScopeSettings]):
    """Report claims about another house, subject or place than the question's."""

    id = "scope"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = ScopeSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "scope.other_scope": Code(
            "The claim is about another of the policy's scopes than the question.",
            '"{observed}"은(는) 질문한 {expected}의 내용이 아닙니다. 질문한 대상의 내용만 쓰세요.',
        ),
        "scope.other_category": Code(
            "The claim and its source are about another of the policy's categories.",
            '"{observed}"은(는) 질문한 주제가 아닙니다. 질문한 주제의 내용만 쓰세요.',
        ),
        "scope.entity_drift": Code(
            "The answer is about another place or organisation than the question names.",
            '질문한 곳은 {expected}입니다. "{observed}"에 대한 내용으로 답하지 마세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Compare what each claim is about with what the question is about."""
        if reading.answer is None:
            return []
        checks = [
            check
            for check, wanted in (
                (self._other_scopes, bool(self.settings.scopes)),
                (self._other_categories, bool(self.settings.categories)),
                (self._drifts, self.settings.check_entities and bool(reading.question.text.names)),
            )
            if wanted
        ]
        if not checks:
            return []
        claims = claims_with_figures(reading.answer.text)
        sources = [SupportingSource(part) for part in reading.sources]
        return [finding for check in checks for finding in check(claims, sources, reading)]

    @lazy
    def _scopes(self) -> WordGroups:
        return WordGroups(self.settings.scopes, begin_words=True)

    @lazy
    def _categories(self) -> WordGroups:
        return WordGroups(self.settings.categories, begin_words=False)

    def _other_scopes(
        self, claims: list[Claim], sources: list[SupportingSource], reading: Reading
    ) -> Iterator[Finding]:
        scopes_of = [_groups_of(source, self._scopes) for source in sources]
        asked = self._asked_scopes(reading, scopes_of)
        own = [s for s, of in zip(sources, scopes_of, strict=True) if not of or of & asked]
        others = [s for s, of in zip(sources, scopes_of, strict=True) if of and not of & asked]
        for claim in claims if asked else ():
            named = self._named_wrongly(claim, asked, own)
            if named is not None:
                start = claim.sentence.start + named.start
                span = Span(start, start + len(named.text))
                yield self._finding("other_scope", span, named.text, asked)
            elif others:
                other, support = best_source(claim, others)
                own_support = best_source(claim, own)[1] if own else 0.0
                if support >= max(_SUPPORTS, own_support + _CLEARLY_MORE):
                    yield self._claim_finding("other_scope", claim, asked, other)

    def _named_wrongly(
        self, claim: Claim, asked: _Groups, own: list[SupportingSource]
    ) -> Mention | None:
        """Return the first other scope that a claim names unless a source of the asked one does."""
        for mention in self._scopes.mentions(claim.sentence.text):
            if mention.group in asked:
                continue
            naming = [s for s in own if mention.group in self._scopes.within(s.whole)]
            if not naming or best_source(claim, naming)[1] < _SUPPORTS:
                return mention
        return None

    def _asked_scopes(self, reading: Reading, scopes_of: list[_Groups]) -> _Groups:
        """Return what the question names, else the only one named before or by the sources."""
        asked = self._scopes.within(reading.question.text.raw)
        if asked:
            return asked
        before = self._scopes.within(reading.exchange.echo)
        if len(before) == 1:
            return before
        named = frozenset[str]().union(*scopes_of)
        return named if len(named) == 1 and all(scopes_of) else frozenset()

    def _other_categories(
        self, claims: list[Claim], sources: list[SupportingSource], reading: Reading
    ) -> Iterator[Finding]:
        asked = self._categories.within(reading.question.text.raw)
        for claim in claims if len(asked) == 1 else ():
            about = self._categories.within(claim.sentence.text)
            if not about or about & asked:
                continue
            source, support = best_source(claim, sources)
            held = _groups_of(source, self._categories)
            if held and not held & asked and support >= _RESTS_ON:
                yield self._claim_finding("other_category", claim, asked, source)

    def _drifts(
        self, claims: list[Claim], sources: list[SupportingSource], reading: Reading
    ) -> Iterator[Finding]:
        for drift in drifts(claims, sources, reading):
            span = Span(drift.told.start, drift.told.end)
            found = self._finding("entity_drift", span, drift.told.text, (drift.asked.text,))
            # The answer may come to what was asked about.
            yield replace(found, provisional=True)

    def _claim_finding(
        self, kind: str, claim: Claim, asked: _Groups, source: SupportingSource
    ) -> Finding:
        sentence = claim.sentence
        span = Span(sentence.start, sentence.end)
        found = self._finding(kind, span, sentence.text, asked)
        return replace(found, strength=Strength.C1, evidence=source.evidence(claim), score=0.8)

    def _finding(self, kind: str, span: Span, observed: str, asked: Iterable[str]) -> Finding:
        return Finding(
            guard=self.id,
            code=f"scope.{kind}",
            part="answer",
            span=span,
            observed=observed,
            strength=Strength.C2,
            expected=tuple(sorted(asked)),
        )


def _groups_of(source: SupportingSource, groups: WordGroups) -> _Groups:
    """Return what a source is about: what its title or file names, else what its text does."""
    return groups.within(source.heading) or groups.within(source.whole)
