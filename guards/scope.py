"""Facts about something else than the question asks about.

Finds: claims that only a source about another branch, product, law or edition supports, if its
    title or heading names a sibling of the one in question or claim (강남점, 분당점), or if the
    policy's `scopes` say so; claims that name another of these scopes; with `categories` (rooms,
    dining …) claims of another category than the question's; an answer about another place or
    organisation than the question names (asked 영통구, answered 팔달구).
Misses: a fact of a sibling that a source of the right one has too; siblings that no title, heading
    or first line names; a question that names several.
Score: 1.0 if another name is in the claim; 0.9 if only a sibling's source has its figure or words;
    0.5 (weak) if the sources on the right one say nothing about it at all.
Source: names and words of the policy, `guards/lexicons/siblings.txt`, our own rules for Korean
    names.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.keeping import lazy
from guards.core.reading import Part, Reading, Text
from guards.evidence.answers import user_figures
from guards.evidence.index import SourceClaim
from guards.evidence.resting import Foreign, Line, Rest, Rests, lines_of
from guards.evidence.siblings import Siblings
from guards.lexicons.loading import section_words
from guards.text.known_names import is_short_for
from guards.text.names import Name
from guards.text.normal import dense

_PRODUCTS = section_words("name_heads", "products")
_WORD_BEGINS = r"(?<![가-힣A-Za-z0-9])"


class Mention(NamedTuple):
    """A word of a group in a text, and its place in code points."""

    group: str
    text: str
    start: int
    end: int


class WordGroups:
    """Groups of words by name."""

    def __init__(self, groups: Mapping[str, Sequence[str]], *, begin_words: bool) -> None:
        """Take the groups.

        Args:
            groups: Words of each group.
            begin_words: Whether they only count where a word begins; else inside compounds too.
        """
        self._group_of = {
            dense(word): name for name, words in groups.items() for word in words if dense(word)
        }
        longest_first = sorted(self._group_of, key=len, reverse=True)
        spaced = (r"[\s·-]?".join(map(re.escape, word)) for word in longest_first)
        before = _WORD_BEGINS if begin_words else ""
        self._pattern = re.compile(f"{before}(?:{'|'.join(spaced)})", re.IGNORECASE)

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield every word of a group, in order."""
        if not self._group_of:
            return
        for found in self._pattern.finditer(text):
            yield Mention(self._group_of[dense(found[0])], found[0], *found.span())

    def within(self, text: str) -> frozenset[str]:
        """Return the groups that a text speaks of."""
        return frozenset(mention.group for mention in self.mentions(text))


_RESTS_ON = 0.3
_STRONG, _WEAK = 0.9, 0.5
# A question put right is answered about what it should have named: 아니요, 팔달구입니다.
_PUTS_RIGHT = re.compile(r"\s*(?:아니(?:요|오|에요|예요)|아뇨|아닙니다)")
# 팔달구 효원로 1: where the place asked about lies, not what the answer is about.
_ADDRESS_AFTER = re.compile(r"\s?[가-힣0-9]{1,10}(?:로|길|동|읍|면|리)(?:\s?\d|\s|에|$)")
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
    check_siblings: bool = Field(
        True,
        description="Report claims that rest on a source about a sibling of what was asked.",
    )
    check_entities: bool = Field(
        True, description="Report answers about another place or organisation than the question's."
    )


class OtherScope(Guard[ScopeSettings]):
    """Report claims about another house, product, edition, subject or place than the question's."""

    id = "scope"
    label = Label("Scope", "대상 범위")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = ScopeSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "scope.other_scope": Code(
            label=Label("About another scope", "다른 대상에 관한 내용"),
            meaning=(
                "The claim names a sibling of what was asked about, or rests on a source about one."
            ),
            message="질문하신 대상이 아닌 다른 곳의 내용일 수 있습니다",
            instruction=(
                '"{observed}"{observed:은} 질문한 {expected}의 내용이 아닙니다. 질문한 대상의 '
                "내용만 쓰세요."
            ),
        ),
        "scope.other_edition": Code(
            label=Label("From a text that is no longer in force", "효력이 없는 지난 자료의 내용"),
            meaning="The claim rests on a text that is no longer in force.",
            message="질문하신 대상이 아닌 다른 곳의 내용일 수 있습니다",
            instruction=(
                '"{observed}"{observed:은} 지난 자료의 내용입니다. 현재 자료의 내용만 쓰세요.'
            ),
        ),
        "scope.other_category": Code(
            label=Label("About another category", "다른 분류에 관한 내용"),
            meaning="The claim and its source are about another of the policy's categories.",
            message="질문하신 대상이 아닌 다른 곳의 내용일 수 있습니다",
            instruction=(
                '"{observed}"{observed:은} 질문한 주제가 아닙니다. 질문한 주제의 내용만 쓰세요.'
            ),
        ),
        "scope.entity_drift": Code(
            label=Label("About another place or organisation", "다른 장소나 기관에 관한 내용"),
            meaning="The answer is about another place or organisation than the question names.",
            message="질문하신 대상이 아닌 다른 곳의 내용일 수 있습니다",
            instruction='질문한 곳은 {expected}입니다. "{observed}"에 대한 내용으로 답하지 마세요.',
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Compare what each claim is about with what the question is about."""
        found: list[Finding] = []
        if self.settings.scopes:
            found += self._other_scopes(reading)
        if self.settings.check_siblings and not found:
            found += self._siblings(reading)
        if self.settings.categories:
            found += self._other_categories(reading)
        if self.settings.check_entities and reading.question.text.names:
            found += self._drifts(reading)
        return found

    @lazy
    def _scopes(self) -> WordGroups:
        return WordGroups(self.settings.scopes, begin_words=True)

    @lazy
    def _categories(self) -> WordGroups:
        return WordGroups(self.settings.categories, begin_words=False)

    def _siblings(self, reading: Reading) -> Iterator[Finding]:
        siblings = reading.source_set.once(Siblings)
        if not siblings:
            return
        question, earlier = reading.exchange.question, reading.exchange.echo
        resting = _resting(reading, lambda near: siblings.foreign(near, question, earlier))
        yield from (_rest_finding(reading, rest) for _, rest in resting)

    def _other_scopes(self, reading: Reading) -> Iterator[Finding]:
        scopes_of = [_groups_of(part, self._scopes) for part in reading.sources]
        in_question = self._asked_scopes(reading, scopes_of)
        if not in_question:
            return
        expected = tuple(sorted(in_question))
        named = set()
        for line in reading.once(lines_of):
            mention = self._named_wrongly(reading, line, in_question)
            if mention is not None:
                named.add(line.start)
                start = line.start + mention.start
                yield _finding("other_scope", reading, start, start + len(mention.text), expected)
        others = {number for number, of in enumerate(scopes_of) if of and not of & in_question}
        places = (place for place in reading.source_set.once(Siblings).places if place[0] in others)
        foreign = dict.fromkeys(places, ", ".join(expected))
        for line, rest in _resting(reading, lambda _: foreign):
            if line.start not in named:
                yield _rest_finding(reading, rest)

    def _named_wrongly(self, reading: Reading, line: Line, named: _Groups) -> Mention | None:
        """Return the first other scope that a line names unless its own source does, too."""
        for mention in self._scopes.mentions(line.text):
            if mention.group in named:
                continue
            best = reading.source_set.once(Rests).best(line)
            if best is None or best[0] < _RESTS_ON:
                return mention
            held = self._scopes.within(_whole(reading.sources[best[1].source]))
            if mention.group not in held or (held and not held & named):
                return mention
        return None

    def _asked_scopes(self, reading: Reading, scopes_of: list[_Groups]) -> _Groups:
        """Return what the question names, else the only one named before or by the sources."""
        in_question = self._scopes.within(reading.question.text.raw)
        if in_question:
            return in_question
        before = self._scopes.within(reading.exchange.echo)
        if len(before) == 1:
            return before
        named = frozenset[str]().union(*scopes_of)
        return named if len(named) == 1 and all(scopes_of) else frozenset()

    def _other_categories(self, reading: Reading) -> Iterator[Finding]:
        named = self._categories.within(reading.question.text.raw)
        for line in reading.once(lines_of) if len(named) == 1 else ():
            about = self._categories.within(line.text)
            if not about or about & named:
                continue
            best = reading.source_set.once(Rests).best(line)
            if best is None or best[0] < _RESTS_ON:
                continue
            held = _groups_of(reading.sources[best[1].source], self._categories)
            if held and not held & named:
                found = _finding("other_category", reading, line.start, line.end, sorted(named))
                quote = _quote(reading, best[1])
                yield replace(found, strength=Strength.C1, evidence=(quote,), score=_STRONG)

    def _drifts(self, reading: Reading) -> Iterator[Finding]:
        """Report for each line the one name that stands for the question's only one of that head.

        None if the answer has the question's name too, or if the source that the line is closest to
        does; nor in a line that tells of several, or in an answer that says no to the question.
        """
        answer, question = reading.answer_text, reading.question.text
        named = [name for name in _only_ones(question) if name.specific not in answer.dense]
        for line in reading.once(lines_of) if named and not _PUTS_RIGHT.match(answer.raw) else ():
            drift = _drift(line, named, answer, question.dense)
            if drift is None:
                continue
            best = reading.source_set.once(Rests).best(line)
            if best and drift[0].specific in dense(_whole(reading.sources[best[1].source])):
                continue
            wanted, drifted = drift
            found = _finding("entity_drift", reading, drifted.start, drifted.end, (wanted.text,))
            # The answer may still speak of what was asked about.
            yield replace(found, provisional=True)


def _resting(reading: Reading, foreign_to: Callable[[str], Foreign]) -> Iterator[tuple[Line, Rest]]:
    """Yield what figures and words of the answer rest on foreign sources."""
    rests = reading.source_set.once(Rests)
    named = Rests.words_of(reading.question.text.raw)
    figures = user_figures(reading.request)
    for line in reading.once(lines_of):
        foreign = foreign_to(line.near)
        if foreign:
            for rest in rests.of_line(line, named, figures, foreign):
                yield line, rest


def _rest_finding(reading: Reading, rest: Rest) -> Finding:
    kind = "other_scope" if rest.meant else "other_edition"
    expected = (rest.meant,) if rest.meant else ()
    found = _finding(kind, reading, rest.start, rest.end, expected)
    return replace(
        found,
        severity=Severity.STRONG if rest.is_sure else Severity.WEAK,
        strength=Strength.C2 if rest.is_sure else Strength.C1,
        evidence=tuple(_quote(reading, one) for one in rest.on),
        score=_STRONG if rest.is_sure else _WEAK,
    )


def _finding(kind: str, reading: Reading, start: int, end: int, expected: Sequence[str]) -> Finding:
    return Finding(
        guard=OtherScope.id,
        code=f"scope.{kind}",
        part="answer",
        span=Span(start, end),
        observed=reading.answer_text.raw[start:end],
        strength=Strength.C2,
        expected=tuple(expected),
    )


def _quote(reading: Reading, one: SourceClaim) -> Evidence:
    return Evidence(one.source_id, reading.source_set.once(Rests).sentence_of(one))


def _heading(part: Part) -> str:
    return f"{part.source.title} {part.source.file}".strip() if part.source else ""


def _whole(part: Part) -> str:
    return f"{_heading(part)}\n{part.text.raw}"


def _groups_of(part: Part, groups: WordGroups) -> _Groups:
    """Return what a source is about: what its title or file names, else what its text does."""
    return groups.within(_heading(part)) or groups.within(_whole(part))


def _only_ones(question: Text) -> list[Name]:
    """Return the places and organisations of whose head a question names no other."""
    counts = Counter(name.head for name in question.names)
    return [
        name
        for name in question.names
        if name.head and name.head not in _PRODUCTS and counts[name.head] == 1
    ]


def _drift(
    line: Line, named: Iterable[Name], answer: Text, question: str
) -> tuple[Name, Name] | None:
    """Return a name of the question and the one that a line has in its place."""
    inside = [
        told
        for told in answer.names
        if line.start <= told.start < line.end
        and told.specific not in question
        and not _ADDRESS_AFTER.match(answer.raw, told.end)
    ]
    for name in named:
        others = [one for one in inside if one.head == name.head]
        if len({one.key for one in others}) == 1 and not is_short_for(others[0].key, name.key):
            return name, others[0]
    return None
