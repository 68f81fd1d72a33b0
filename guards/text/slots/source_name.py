"""The sources of a request that the names and numbers in an answer refer to.

A name is compared with titles, files and numbers without spaces and punctuation. A law is held to
its exact name, an article to what the sources hold; other titles may be shortened, extended by a
place (``, 3쪽``) or slightly misspelt.

Where the answer explains its numbers in a list of its own, they mean what the list says; else a
number is a source's id, or its place among the sources.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from guards.core.exchange import Source
from guards.core.reading import Reading, RequestReading
from guards.text.citing.references import References
from guards.text.laws.index import LawIndex, Level, law_index_of
from guards.text.laws.law import STATUTE, Kind, LawReference, is_law_name, law_name, read_laws
from guards.text.slots.citation_mark import FILE, CitationMark, MarkKind, MarkStyle

_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
_PLACE = re.compile(
    r"[\s,(]*(?:pp?\.\s?\d{1,4}(?:\s?[-~]\s?\d{1,4})?|(?:page|페이지)\s?\d{1,4}|\d{1,4}\s?(?:쪽|페이지|면))"
    r"\)?\s*$",
    re.IGNORECASE,
)
_POINTING = (
    r"(?:위|상기|해당|제공된?|제공(?:하|해\s?주)신|첨부(?:된?|하신|해\s?주신)|주어진|검색된?|참고|관련"
    r"|본)?\s?"
)
_NUMBER = re.compile(
    rf"{_POINTING}(?:출처|문서|자료|참고|source|doc(?:ument)?)?\s?[#†\[]?\s?(\d{{1,3}})\s?번?\]?"
    r"(?:\s?(?:출처|문서|자료))?",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    rf"{_POINTING}(?:검색\s?)?(?:자료|문서|문서들|내용|본문|컨텍스트|결과|출처|context|sources?)"
    r"(?:\s?(?:내용|본문|참조|참고))?",
    re.IGNORECASE,
)
# The document cited before: 같은 FAQ Q3, 위 안내 2번, 상동.
_SAME = re.compile(
    r"(?:같은|동일한?|위의?|상기의?|앞의?|앞선|앞서\s(?:인용|언급|말)한|해당)\s(?=\S)"
)
_SAME_AS_BEFORE = re.compile(
    r"(?:위|앞|상기|이상)?(?:[와과]|의?\s출처와)?\s?(?:같음|동일(?:함)?|상동)"
)
_ITEM = re.compile(r"[\s,(]*(?:(?:Q|문|질문|문항|항목)\s?\d{1,3}\)?\s*$)", re.IGNORECASE)
_IN_A_LIST = re.compile(r"\s*[,;|]\s*|\s+및\s+")
_HARD = re.compile(r"\.[a-z]{2,5}$|^https?:", re.IGNORECASE)
_FILE = re.compile(rf"{FILE}$", re.IGNORECASE)
_NOT_IN_A_KEY = re.compile(r"[^\w가-힣]+|_")
_QUOTES = " \"'“”‘’「」『』*_`"
_ARTICLE = re.compile(
    r"[\s,(]*제\s?\d{1,4}\s?조(?:\s?의\s?\d{1,2})?(?:\s?제\s?\d{1,2}\s?[항호]){0,2}\)?\s*$"
)
_PAGE_NUMBER = re.compile(r"\d{1,4}(?=\s?(?:쪽|페이지|면)?\)?\s*$)")
_NUMBERS = re.compile(r"\d{1,4}")
_HEADED = re.compile(
    r"(?P<article>제\s?\d{1,4}\s?조(?:의\s?\d{1,2})?)\s?\((?P<heading>[^()]{2,40})\)"
)
_SHORTEST_TITLE_CHARS = 4
_SHORTEST_PART_CHARS = 2
_LEAST_TITLE_SHARE = 0.4
_LEAST_SHARED_BIGRAMS = 0.75


def source_names(reading: Reading) -> "SourceNames":
    """Return the names of an exchange's sources, read once for all its answers."""
    return reading.request.once(_names)


def _names(request: RequestReading) -> "SourceNames":
    return SourceNames(request.exchange.sources, law_index_of(request))


class SourceNames:
    """The names under which the sources of a request can be cited."""

    def __init__(self, sources: Iterable[Source], index: LawIndex) -> None:
        self._sources = tuple(sources)
        self._index = index
        self._by_id = {source.id: source for source in reversed(self._sources)}
        names = [name for one in self._sources for name in (one.title, one.file, _stem(one.file))]
        self._unknown: dict[str, tuple[str, ...]] = {}
        self._named: dict[str, tuple[Source, ...]] = {}
        self._keys = tuple(dict.fromkeys(_key(name) for name in names if _key(name)))

    @property
    def known(self) -> bool:
        """True if any source has a title or a file."""
        return bool(self._keys)

    def has_number(self, number: int) -> bool:
        """Tell whether a source is called so, or stands at this place of the list."""
        return str(number) in self._by_id or 1 <= number <= len(self._sources)

    def unknown(self, target: str) -> tuple[str, ...]:
        """Return the names in a citation's target that no source has; empty if all is well."""
        if target not in self._unknown:
            self._unknown[target] = self._find_unknown(target)
        return self._unknown[target]

    def _find_unknown(self, target: str) -> tuple[str, ...]:
        target = _LINK.sub(r"\1", target).strip()
        pieces = names_in(target)
        unknown = tuple(piece for piece in pieces if not self._knows(piece))
        if all(piece.isdigit() for piece in pieces):
            return unknown
        # A title may hold a comma, so a stray word in a list says nothing; a file does.
        hard = tuple(piece for piece in unknown if _HARD.search(_PLACE.sub("", piece)))
        if hard or len(unknown) < len(pieces) or self._knows(target):
            return hard
        return (target,)

    def unknown_files(self, target: str) -> tuple[str, ...]:
        """Return the files in a citation's target that no source is; empty if no file is known."""
        if not any(source.file for source in self._sources):
            return ()
        files = (piece for piece in names_in(target) if _FILE.search(_PLACE.sub("", piece)))
        return tuple(piece for piece in files if not self._knows(piece))

    def without_wrong_places(self, target: str) -> str | None:
        """Return a target without the pages and articles that the documents named do not have.

        Empty if it is only such a place; None if it gives none, or only places that may be right.
        Names of laws are held to their articles by `unknown`.
        """
        mended = target
        for piece in _with_their_places(target):
            place = _PLACE.search(piece) or _ARTICLE.search(piece)
            name = piece[: place.start()] if place else ""
            if place is None or is_law_name(name):
                continue
            if self.lack(self.named(name) if _key(name) else self._sources, place[0]):
                mended = mended.replace(piece, name.rstrip(" ,("), 1)
        return mended if mended != target else None

    def lack(self, sources: Sequence[Source], place: str) -> bool:
        """Tell whether documents lack the page or the article of a place (``, p.3``, ``제5조``).

        They lack a page where the pages of all their pieces are known, and none of them is it or
        speaks of it; an article where a piece that opens with one sets out only others.
        """
        pieces = [one for one in self._sources if any(_are_of_one(one, each) for each in sources)]
        articles = [one for one in read_laws(place) if one.kind is Kind.ARTICLE]
        if any(all(self._lacks_article(one, each) for one in pieces) for each in articles):
            return bool(pieces)
        pages = _pages_of(place)
        return bool(pieces and pages) and not any(_may_have_page(one, pages) for one in pieces)

    def _lacks_article(self, source: Source, reference: LawReference) -> bool:
        held = self._index.sources[self._sources.index(source)]
        opens = held.provisions and not source.text[: held.provisions[0].article.start].strip()
        missing = LawIndex(lambda: (held,)).missing(reference)
        return bool(opens) and missing is not None and missing.level is Level.ARTICLE

    def with_right_heading(self, target: str) -> str | None:
        """Return a target with the heading that its article has; None if it gives no wrong one."""
        headed = _HEADED.search(target)
        if headed is None or self._index.mentions_name(headed["heading"]):
            return None
        article = _key(headed["article"])
        quotes = [_HEADED.match(one.quote) for one in self._index.provisions]
        quotes += [_HEADED.search(source.title) for source in self._sources]
        right = {one["heading"] for one in quotes if one and _key(one["article"]) == article}
        if len(right) != 1:
            return None
        begin, end = headed.span("heading")
        return target[:begin] + right.pop() + target[end:]

    def numbered(self, number: int) -> Source | None:
        """Return the source that is called so, or else stands at this place of the list."""
        placed = self._sources[number - 1] if 1 <= number <= len(self._sources) else None
        return self._by_id.get(str(number), placed)

    def named(self, target: str) -> tuple[Source, ...]:
        """Return the sources that a citation's target may mean; empty if it names none.

        A file and a page mean that page, a title or file in full only what is called so, and an
        article the sources that set it out.
        """
        if target not in self._named:
            self._named[target] = self._find_named(target)
        return self._named[target]

    def _find_named(self, target: str) -> tuple[Source, ...]:
        target = _LINK.sub(r"\1", target).strip()
        name = _PLACE.sub("", target).strip(_QUOTES)
        if number := _NUMBER.fullmatch(name):
            source = self.numbered(int(number[1]))
            return (source,) if source else ()
        key = _key(name)
        found = [source for source in self._sources if key in _keys_of(source)]
        found = found or [source for source in self._sources if _is_shortened(key, source)]
        page = _PAGE_NUMBER.search(target)
        paged = [source for source in found if page and source.page == int(page[0])]
        return tuple(paged or found) or self._setting_out(target)

    def _setting_out(self, target: str) -> tuple[Source, ...]:
        """Return the sources that set out an article which a target names."""
        wanted = {(one.number, one.branch) for one in read_laws(target) if one.kind is Kind.ARTICLE}
        holders = {
            one.source_id
            for one in self._index.provisions
            if (one.article.number, one.article.branch) in wanted
        }
        return tuple(source for source in self._sources if source.id in holders)

    def _knows(self, written: str) -> bool:
        name = _PLACE.sub("", written).strip(_QUOTES)
        key = _key(name)
        if not key or _NO_NAME.fullmatch(name) or name in self._by_id:
            return True
        if self._is_the_same(name):
            return True
        if number := _NUMBER.fullmatch(name):
            return self.has_number(int(number[1]))
        if any(key == known for known in self._keys):
            return True
        provisions = [one for one in read_laws(written) if one.kind is not Kind.LAW]
        if provisions:
            missing = [self._index.missing(one) for one in provisions]
            # Which paragraph it is, is for the guard of legal citations.
            return all(one is None or one.level in (Level.PARAGRAPH, Level.ITEM) for one in missing)
        if len(key) >= _SHORTEST_TITLE_CHARS and self._index.mentions_name(name):
            return True
        if is_law_name(name):
            return self._index.knows(law_name(name)) or self._is_ours(key)
        return self._resembles(key)

    def _is_the_same(self, name: str) -> bool:
        """Tell whether a name only points back to a document (같은 FAQ) of a kind that is here."""
        if _SAME_AS_BEFORE.fullmatch(name):
            return True
        same = _SAME.match(name)
        if same is None:
            return False
        kind = _ITEM.sub("", name[same.end() :])
        return _NO_NAME.fullmatch(kind) is not None or all(
            any(_key(word) in known for known in self._keys) for word in kind.split()
        )

    def _is_ours(self, key: str) -> bool:
        """Tell whether a key is the title of an internal rule with a word before it."""
        return not STATUTE.search(key) and any(
            key.endswith(known) and len(known) >= _SHORTEST_TITLE_CHARS for known in self._keys
        )

    def _resembles(self, key: str) -> bool:
        """Tell whether a key is part of a title, holds one, or is spelt nearly like one."""
        if len(key) >= _SHORTEST_PART_CHARS and any(key in known for known in self._keys):
            return True
        if any(
            known in key and len(known) >= max(_SHORTEST_TITLE_CHARS, _LEAST_TITLE_SHARE * len(key))
            for known in self._keys
        ):
            return True
        cited = _bigrams(key)
        return len(cited) > 1 and any(
            len(cited & _bigrams(known)) >= _LEAST_SHARED_BIGRAMS * len(cited)
            for known in self._keys
        )


def names_in(target: str) -> list[str]:
    """Return the names in a citation's target, without those of pages alone."""
    return [piece for piece in _IN_A_LIST.split(target) if _PLACE.sub("", piece).strip()]


def _with_their_places(target: str) -> Iterator[str]:
    """Yield the names in a citation's target, each with the page or article behind it."""
    begin = 0
    for separator in _IN_A_LIST.finditer(target):
        behind = _IN_A_LIST.split(target[separator.end() :], maxsplit=1)[0]
        if _ARTICLE.sub("", _PLACE.sub("", behind)).strip():
            yield target[begin : separator.start()]
            begin = separator.end()
    yield target[begin:]


def _pages_of(place: str) -> range:
    """Return the pages that a place gives; none if it gives none."""
    given = _PLACE.search(place)
    if given is None:
        return range(0)
    first, *more = map(int, _NUMBERS.findall(given[0]))
    return range(first, (more[-1] if more else first) + 1)


def _may_have_page(source: Source, pages: range) -> bool:
    return (
        source.page is None
        or source.page in pages
        or any(re.search(rf"(?<!\d){page}(?!\d)", source.text) for page in pages)
    )


def _are_of_one(source: Source, other: Source) -> bool:
    """Tell whether two sources are pieces of one document."""
    same = source.file == other.file and (source.file or source.title == other.title)
    return source is other or bool(same and (source.file or source.title))


def _keys_of(source: Source) -> set[str]:
    return {_key(name) for name in (source.title, source.file, _stem(source.file))} - {""}


def _is_shortened(key: str, source: Source) -> bool:
    """Tell whether a key and a name of a source are one the beginning or part of the other."""
    return len(key) >= _SHORTEST_TITLE_CHARS and any(
        key in known or (len(known) >= _SHORTEST_TITLE_CHARS and known in key)
        for known in _keys_of(source)
    )


def _stem(file: str) -> str:
    return PurePosixPath(file).stem if file else ""


def _key(name: str) -> str:
    return _NOT_IN_A_KEY.sub("", name).casefold()


def _bigrams(key: str) -> set[str]:
    return {key[place : place + 2] for place in range(len(key) - 1)}


_SOURCE_NUMBER = re.compile(r"[1-9][0-9]{0,2}")


class Numbering:
    """The numbers of one answer."""

    def __init__(
        self, sources: Sequence[Source], references: References | None, names: SourceNames
    ) -> None:
        self._sources = sources
        self._names = names
        lines = references.lines if references else ()
        self._explained: dict[int | None, Source | None] = {
            line.number: self._source_meant(line.number, line.target)
            for line in lines
            if line.number is not None
        }
        self._notes = {
            line.number
            for line in lines
            if self._explained.get(line.number) is None and not names.unknown_files(line.target)
        }

    def source_of(self, number: int) -> Source | None:
        """Return the source that a number means; None if it means none."""
        return self._explained.get(number) or self._source_numbered(number)

    def cited_by(self, mark: CitationMark) -> tuple[int, ...]:
        """Return the numbers of a mark that cite.

        A footnote that explains itself cites nothing, nor does ``[0, 1]`` where no source is 0.
        ``닫습니다.[0]`` cites all the same: a place in a program's list ends no sentence.
        """
        ends_sentence = mark.well_placed and len(mark.numbers) == 1
        may_be_place = mark.kind is MarkKind.PLAIN and not ends_sentence
        if may_be_place and 0 in mark.numbers and self.source_of(0) is None:
            return ()
        if mark.style is not MarkStyle.NOTE:
            return mark.numbers
        return tuple(number for number in mark.numbers if number not in self._notes)

    def number_of(self, source: Source) -> int | None:
        """Return the number by which the answer cites a source; None if it has no way to."""
        for number, explained in self._explained.items():
            if explained == source:
                return number
        place = next(at for at, one in enumerate(self._sources, start=1) if one.id == source.id)
        own = int(source.id) if _SOURCE_NUMBER.fullmatch(source.id) else place
        return own if self.source_of(own) == source else None

    def _source_numbered(self, number: int) -> Source | None:
        """Return the source that is called so, or stands at this place and has no number."""
        source = self._names.numbered(number)
        is_other = source is not None and source.id.isdigit() and int(source.id) != number
        return None if is_other else source

    def _source_meant(self, number: int, target: str) -> Source | None:
        """Return the source that a line of the answer's list names; None if that is not clear."""
        named = self._names.named(target)
        by_number = self._source_numbered(number)
        if by_number in named:
            return by_number
        return named[0] if len(named) == 1 else None
