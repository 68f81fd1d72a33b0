"""Answers that are broken as text: garbled, looping, empty, with unfilled placeholders or cut off.

Finds: lost and control characters, misread encodings (``ì•ˆë…•``, ``占쏙옙``), jamo that form no
    syllable; sentences, words and characters in a loop; control tokens of chat formats;
    placeholders and template markers; long answers that stop in mid-sentence (weak).
Misses: loops whose rounds differ; words that are merely misspelt; a cut exactly after a sentence;
    `<think>` blocks (apps show them). Text that is also in the question or the sources is weak.
Score: 1.0; 0.8 for scattered repetition; 0.5 for an answer cut off.
Source: our own rules; encodings are confirmed by decoding the text again.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from operator import eq
from typing import ClassVar, NamedTuple

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, Text
from guards.text.sentences import Sentence

_WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_TAIL = f"[\x80-\xbf{_WINDOWS_1252}]"
# Lead bytes of UTF-8 with the bytes that must follow; Hangul lies in 0xEA to 0xED. Of two-byte
# sequences only those that no word ends in: the end of a quoted “CAFÉ” reads as one, too.
_UTF8_READ_AS_1252 = re.compile(f"(?:[\xc2\xc3][\x80-\xbf]|[\xe0-\xef]{_TAIL}{{2}})+")
_CP949_READ_AS_LATIN = re.compile("(?:[\x81-\xfe][\xa1-\xfe]){3,}")
_LEAST_DIFFERENT = 4
_LEAST_SHARE_OF_LETTERS = 0.3
# U+FFFD whose UTF-8 was read as CP949.
_LOST_TWICE = re.compile("(?:占쏙옙|占쏙|쏙옙)+")
_LOST = re.compile("[\ufffd\ufffe\uffff\ud800-\udfff]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]+")
_PRIVATE = re.compile("[\ue000-\uf8ff]+")
_JAMO_RUN = re.compile("[ㄱ-ㅎㅏ-ㅣ]{2,}")
_INITIALS = frozenset("ㅋㅎㅇㅅㄷㄴㄱㅈㄹㅂ")  # ㅇㅋ, ㄱㅅ, ㅎㄷㄷ
_LAUGHTER_AND_TEARS = frozenset("ㅋㅎㅇㅠㅜㅡㅗ")
_ALPHABETS = ("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ", "ㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣ")
# Conjoining jamo that make no syllable; U+119E (ᆞ) stands for a middle dot in statutes.
_LOOSE_CONJOINING = re.compile(
    "[\u1100-\u115e]+(?![\u1160-\u11a7])"
    "|(?<![\u1100-\u115f])[\u1161-\u119d\u119f-\u11a7]+"
    "|(?<![\u1160-\u11ff가-힣])[\u11a8-\u11ff]+"
)
# All that a broken stretch begins with.
_SUSPICIOUS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\xfe\u1100-\u11ffㄱ-ㅎㅏ-ㅣ占쏙\ud800-\uf8ff\ufffd-\uffff]"
)


class Broken(NamedTuple):
    """A stretch of broken characters.

    Attributes:
        start: Where it begins, in code points.
        end: Where it ends.
        meant: What stood there before; empty for what stands for nothing; None if it is lost.
    """

    start: int
    end: int
    meant: str | None


def broken_places(text: str) -> list[Broken]:
    """Return the broken stretches of a text, in order; none overlaps another."""
    if not _SUSPICIOUS.search(text):
        return []
    found = sorted(_all_places(text), key=lambda place: (place.start, -place.end))
    kept: list[Broken] = []
    for place in found:
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
    return kept


def _all_places(text: str) -> Iterator[Broken]:
    for pattern, meant in ((_LOST, None), (_LOST_TWICE, None), (_CONTROL, ""), (_PRIVATE, None)):
        for match in pattern.finditer(text):
            yield Broken(*match.span(), meant)
    yield from _misread(text)
    for match in _JAMO_RUN.finditer(text):
        if not _is_meant(match[0]):
            yield Broken(*match.span(), None)
    for match in _LOOSE_CONJOINING.finditer(text):
        yield Broken(*match.span(), None)


def _misread(text: str) -> Iterator[Broken]:
    for match in _UTF8_READ_AS_1252.finditer(text):
        meant = _decoded(b"".join(map(_byte, match[0])), "utf-8")
        if meant is not None:
            yield Broken(*match.span(), meant if "\ufffd" not in meant else None)
    for match in _CP949_READ_AS_LATIN.finditer(text):
        meant = _decoded(match[0].encode("latin-1"), "cp949")
        if meant and _is_varied(match[0]) and all("가" <= char <= "힣" for char in meant):
            yield Broken(*match.span(), meant)


def _is_varied(run: str) -> bool:
    """Tell a misread text from a row of dots or signs (``······``)."""
    letters = sum(char.isalpha() for char in run)
    return len(set(run)) >= _LEAST_DIFFERENT and letters >= len(run) * _LEAST_SHARE_OF_LETTERS


def _byte(char: str) -> bytes:
    try:
        return char.encode("cp1252")
    except UnicodeEncodeError:
        return char.encode("latin-1")  # the five bytes that Windows-1252 leaves open


def _decoded(misread: bytes, encoding: str) -> str | None:
    try:
        return unicodedata.normalize("NFC", misread.decode(encoding))
    except UnicodeDecodeError:
        return None


def _is_meant(run: str) -> bool:
    """Tell whether someone may have typed a run of jamo: laughter, tears, initials, an alphabet."""
    if any(run in alphabet for alphabet in _ALPHABETS):
        return True
    return set(run) <= _INITIALS or set(run) <= _LAUGHTER_AND_TEARS


_LETTER = re.compile(r"[^\W\d_]")
# Six times a short stretch, or a character drawn out far beyond any emphasis.
_CHARACTERS = re.compile(r"(?P<unit>\S{2,24}?)(?P=unit){5,}|(?P<one>\S)(?P=one){19,}")
# As long as the shortest of them.
_LONG_RUN = re.compile(r"(?<!\S)\S{12,}")
_SHORTEST_LOOP_CHARS = 20
_LEAST_WORDLESS_CHARS = 60
_TYPED_RUNS = frozenset("ㅋㅎㅠㅜㅡㅇ")


class Loop(NamedTuple):
    """Something that is repeated.

    Attributes:
        start: Index of the first item of the first time.
        again: Index of the first item of the second time.
        end: Index behind the last item, which may stand in the middle of a period.
    """

    start: int
    again: int
    end: int


def comes_back(items: Sequence[str], times: int) -> bool:
    """Tell whether so many items stand in a row, and each so often, as those of a loop must."""
    often = {item for item, count in Counter(items).items() if count >= times}
    if not often:
        return False
    run = 0
    for item in items:
        run = run + 1 if item in often else 0
        if run >= times:
            return True
    return False


def item_loops(items: Sequence[str], most_period: int, times: int) -> Iterator[Loop]:
    """Yield the stretches in which items come back, the shortest period first.

    Args:
        items: What is compared, such as words or sentences.
        most_period: Most items in a period.
        times: Least number of times that a period stands in a row.
    """
    if not comes_back(items, times):
        return
    for period in range(1, min(most_period, len(items) // times) + 1):
        alike = sum(map(eq, islice(items, period, None), items))
        if alike < period * (times - 1):
            continue
        run = 0
        for at in range(period, len(items) + 1):
            if at < len(items) and items[at] == items[at - period]:
                run += 1
                continue
            if run >= period * (times - 1):
                start = at - run - period
                is_cut = at == len(items) - 1 and items[at - period].startswith(items[at])
                yield Loop(start, start + period, at + is_cut)
            run = 0


def character_loops(text: str) -> Iterator[Loop]:
    """Yield the stretches without a space in which a few characters come back; in code points.

    Rules (----), laughter and rows of digits as long as a number may be are none.
    """
    loops = (_CHARACTERS.finditer(text, *run.span()) for run in _LONG_RUN.finditer(text))
    for match in chain.from_iterable(loops):
        unit = match["unit"] or match["one"]
        length = match.end() - match.start()
        is_wordy = _LETTER.search(unit) is not None and not set(unit) <= _TYPED_RUNS
        least = _SHORTEST_LOOP_CHARS if is_wordy else _LEAST_WORDLESS_CHARS
        if length >= least and (is_wordy or unit.isdigit()):
            yield Loop(match.start(), match.start() + len(unit), match.end())


# Of the chat formats of current open models; HTML has <s>, so that one counts at the edges only.
_SPECIAL = re.compile(
    r"<\|[A-Za-z][\w ./-]{0,40}\|>|<[|｜][A-Za-z▁_]{2,40}[|｜]>|\[\|[a-z_]{2,20}\|\]"
    r"|<(?:start_of_turn|end_of_turn|bos|eos|pad|unk|mask|sep|cls|endoftext|im_start|im_end)>"
    r"|\[/?INST\]|<</?SYS>>|\[(?:UNK|PAD|CLS|SEP|MASK|BOS|EOS|EOT|gMASK)\]|<0x[0-9A-F]{2}>|\[@BOS@\]"
)
_EDGE_SPECIAL = re.compile(rf"{_SPECIAL.pattern}|</?s>")
# All that one of them begins with.
_MAY_BE_SPECIAL = re.compile(r"<|\[[|/@A-Zg]")
_STRUCK_OUT = re.compile(r"<s>[^<>\n]{1,200}</s>")
_WHOLE = re.compile(
    r"[\s*_#>-]*(?:TODO|FIXME|TBD|N/?A|null|None|undefined|NaN|(?:최종\s?)?(?:답변|응답|대답|내용)|"
    r"(?:여기에\s?)?(?:답변|내용)(?:을|를)?\s?(?:작성|입력)[가-힣 ]{0,12}|answer|response|"
    r"\[[^\[\]\n]{0,40}\]|<[^<>\n]{0,40}>)[\s*_:.!-]*",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}|\{%[^%\n]{1,80}%\}|\$\{[A-Za-z_][\w.]{0,60}\}"
    r"|[\[<(]\s?(?:여기에?|이곳에)\s[^\[\]<>()\n]{0,40}(?:입력|작성|삽입|기재|추가)[^\[\]<>()\n]{0,20}[\]>)]"
    r"|[\[<](?:최종\s?)?(?:답변|응답|본문|답변\s?내용|응답\s?내용)[\]>](?![(:])"
    r"|^[ \t]*(?:TODO|FIXME|TBD)\b(?=[ \t]*(?::|$))",
    re.MULTILINE,
)
# What all of them begin with.
_MAY_BE_INSIDE = re.compile(r"[{$\[<(TF](?:[{%]|\s?(?:여기|이곳|최종|답변|응답|본문)|ODO|IXME|BD)")
_SAYS_SOMETHING = re.compile(r"[^\W_]|[\u2190-\u2bff\U0001f000-\U0001faff]")

Place = tuple[int, int]


def special_tokens(prose: str) -> list[Place]:
    """Return the places of a model's control tokens, in order; in code points."""
    if not _MAY_BE_SPECIAL.search(prose):
        return []
    prose = _without_struck_out(prose)
    places = [match.span() for match in _SPECIAL.finditer(prose)]
    start, end = edges(prose)
    known = {place[0] for place in places}
    places += [
        match.span()
        for match in _EDGE_SPECIAL.finditer(prose)
        if match.start() not in known and (match.end() <= start or match.start() >= end)
    ]
    return sorted(places)


def edges(text: str) -> Place:
    """Return where a text begins and ends without the control tokens around it."""
    text = _without_struck_out(text)
    start, end = 0, len(text)
    for match in _EDGE_SPECIAL.finditer(text):
        if text[start : match.start()].strip():
            break
        start = match.end()
    last = start
    for match in _EDGE_SPECIAL.finditer(text, start):
        if text[last : match.start()].strip():
            end = match.start()
        last = match.end()
    if text[last:].strip() or last == start:
        end = len(text)
    return start, end


def _without_struck_out(text: str) -> str:
    """Return a text of the same length in which HTML that strikes words out is no token."""
    if _STRUCK_OUT.fullmatch(text.strip()):
        return text
    return _STRUCK_OUT.sub(lambda struck: "x" * len(struck[0]), text)


def is_placeholder(answer: str) -> bool:
    """Tell whether a whole answer only holds the place of one."""
    return _SAYS_SOMETHING.search(answer) is None or _WHOLE.fullmatch(answer) is not None


def placeholders(prose: str) -> Iterator[Place]:
    """Yield the places of placeholders inside an answer, in order; in code points."""
    if not _MAY_BE_INSIDE.search(prose):
        return
    for match in _INSIDE.finditer(prose):
        yield match.span()


_LEAST_CHARS = 80
_LEAST_WORDS = 4
_CODE_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)", re.MULTILINE)
_ITEM = re.compile(r"[ \t]*(?:[-*•·○●▪■◦>#|]|\d{1,3}[.)]|[가-하][.)]|[①-⑳])")
_BARE_MARKER = re.compile(r"(?:^|\n)[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]*\Z")
# Particles, connectives and pieces of endings after which no Korean sentence is over. Syllables
# that nouns end in as well (도, 만, 이, 가, 로) are left out.
_GOES_ON = re.compile(
    r"(?:[가-힣]{2}(?:을|를|에서|에게|까지의|부터|으로써|으로서)|[가-힣](?:하고|하며|하여|하는|하도록|되고|되며|되어|되는|"
    r"합니|됩니|입니|습니|십시|하였|되었|했습|됐습|으며|면서|지만|거나|려면)|(?:^|\s)(?:및|또는|그리고|또한|하지만|그러나|따라서|다만|"
    r"위한|대한|따른|관한|통해|위해|대해|따라|경우에는|있는|없는|있으며|없으며|있으나|하는|되는))\Z|[,(\[{「『“‘·:]\Z"
)


def is_cut_off(answer: str, sentences: tuple[Sentence, ...]) -> bool:
    """Tell whether a long answer ends in the middle of a sentence, a list or a piece of code."""
    text = answer.rstrip()
    if len(text) < _LEAST_CHARS or not sentences:
        return False
    if len(_CODE_FENCE.findall(text)) % 2:
        return True
    if _BARE_MARKER.search(text[-12:]):
        return True
    last = sentences[-1].text
    if _ITEM.match(last) or len(last.split()) < _LEAST_WORDS:
        return False
    return _GOES_ON.search(last[-12:]) is not None


_MOST_SENTENCES_IN_PERIOD, _MOST_WORDS_IN_PERIOD = 8, 10
_WORD_TIMES = 5
_LEAST_LOOP_CHARS = 20
_LEAST_LETTERS = 5
_TELLING_CHARS = 20
_MARKER = re.compile(r"^(?:[-*•·○>#]+\s+|(?:\d{1,3}|[가-하])[.)]\s+|[①-⑳]\s*)+")
_WORD = re.compile(r"\S+")


class QualitySettings(GuardSettings):
    """Options of the guard."""

    sentence_times: int = Field(
        3, ge=2, le=20, description="How often a sentence is repeated in a row before it is a loop."
    )


class Quality(Guard[QualitySettings]):
    """Report what no reader could use."""

    id = "quality"
    label = Label("Complete text", "글의 완결성")
    subject = Subject.FORM
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = QualitySettings
    codes: ClassVar[Mapping[str, Code]] = {
        "quality.broken_characters": Code(
            label=Label("Broken characters", "깨진 글자"),
            meaning="Characters of the answer are lost, misread or not text.",
            message="글이 온전하지 않습니다",
            instruction="깨진 글자가 있습니다. 모든 글자를 온전한 한글로 다시 쓰세요.",
        ),
        "quality.repetition": Code(
            label=Label("Repeats itself", "같은 말을 되풀이함"),
            meaning="The answer repeats itself in a loop.",
            message="글이 온전하지 않습니다",
            instruction='"{observed}"{observed:이} 되풀이됩니다. 같은 말은 한 번만 쓰세요.',
        ),
        "quality.special_token": Code(
            label=Label("A control token of the model", "모델의 제어 토큰"),
            meaning="The answer contains a control token of the model.",
            message="글이 온전하지 않습니다",
            instruction='"{observed}" 같은 제어 토큰을 쓰지 말고 답변만 쓰세요.',
        ),
        "quality.placeholder": Code(
            label=Label("Empty or with a placeholder", "비었거나 채우지 않은 자리"),
            meaning="The answer is empty, or has a placeholder in place of content.",
            message="글이 온전하지 않습니다",
            instruction="빈칸이나 자리 표시 없이 실제 내용으로 완성된 답변을 쓰세요.",
        ),
        "quality.cut_off": Code(
            label=Label("Breaks off in the middle", "문장이 중간에 끊김"),
            meaning="The answer stops in the middle of a sentence.",
            message="글이 온전하지 않습니다",
            instruction="답변이 중간에 끊기지 않도록 더 짧게, 끝까지 쓰세요.",
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to look at; without words, a model that may still fetch has only asked a tool."""
        is_empty = reading.exchange.may_fetch and not reading.answer_text.raw.strip()
        return super().not_checkable(reading) or ("empty_answer" if is_empty else None)

    def check(self, reading: Reading) -> list[Finding]:
        """Look for each kind of damage, one after the other."""
        text = reading.answer_text
        answer, sentences = text.raw, text.sentences
        found = list(self._strong(text))
        known = _known_text(reading) if found else ""
        findings = [_weak(one) if one.observed and one.observed in known else one for one in found]
        if is_cut_off(answer, sentences):
            last = sentences[-1]
            cut = _finding("cut_off", (last.start, last.end), answer, score=0.5)
            findings.append(_weak(cut))
        return findings

    def _strong(self, text: Text) -> Iterator[Finding]:
        answer = text.raw
        if is_placeholder(answer):
            whole = _finding("placeholder", (0, len(answer)), answer)
            yield replace(whole, provisional=True)
            return
        prose = text.prose
        for start, end, meant in broken_places(answer):
            yield _finding("broken_characters", (start, end), answer, fix=meant)
        yield from self._repeated(answer, prose, text.sentences)
        yield from _tokens(answer, prose)
        for place in placeholders(prose):
            yield _finding("placeholder", place, answer)

    def _repeated(
        self, answer: str, prose: str, sentences: Sequence[Sentence]
    ) -> Iterator[Finding]:
        """Yield each loop once: of whole sentences, else of words, else of characters."""
        taken: list[Place] = []
        texts = [_comparable(prose, sentence) for sentence in sentences]
        for place, is_whole in self._loops(prose, sentences, texts):
            if all(place[1] <= start or end <= place[0] for start, end in taken):
                taken.append(place)
                yield _finding("repetition", place, answer, fix="" if is_whole else None)
        if not taken and (scattered := _scattered(sentences, texts, self.settings.sentence_times)):
            much = _finding("repetition", scattered, answer, score=0.8)
            # Of a longer answer it may be little.
            yield replace(much, provisional=True)

    def _loops(
        self, prose: str, sentences: Sequence[Sentence], texts: Sequence[str]
    ) -> Iterator[tuple[Place, bool]]:
        """Yield what stands there once too often, and whether that is whole sentences."""
        for start, again, end in item_loops(
            texts, _MOST_SENTENCES_IN_PERIOD, self.settings.sentence_times
        ):
            if len(_LETTER.findall("".join(texts[start:again]))) >= _LEAST_LETTERS:
                yield (sentences[again - 1].end, sentences[end - 1].end), True
        prose = _without_tables(prose)
        words = list(_WORD.finditer(prose)) if comes_back(prose.split(), _WORD_TIMES) else []
        for start, again, end in item_loops(
            [word[0] for word in words], _MOST_WORDS_IN_PERIOD, _WORD_TIMES
        ):
            place = words[again - 1].end(), words[end - 1].end()
            is_long = place[1] - words[start].start() >= _LEAST_LOOP_CHARS
            if is_long and _LETTER.search(prose, words[start].start(), place[0]):
                yield place, False
        for _, again, end in character_loops(prose):
            yield (again, end), False


def _without_tables(prose: str) -> str:
    """Return a text of the same length without the rows of tables."""
    lines = prose.split("\n")
    return "\n".join(" " * len(line) if line.count("|") > 1 else line for line in lines)


def _comparable(prose: str, sentence: Sentence) -> str:
    """Return a sentence as it is compared; rows of tables are all different."""
    text = prose[sentence.start : sentence.end]
    if "|" in text:
        return f"|{sentence.start}"
    return " ".join(_MARKER.sub("", text).split())


def _scattered(sentences: Sequence[Sentence], texts: Sequence[str], times: int) -> Place | None:
    """Return the last place of a sentence that, again and again, makes up half of an answer."""
    counts = Counter(text for text in texts if len(text) >= _TELLING_CHARS)
    if not counts:
        return None
    [(text, count)] = counts.most_common(1)
    if count < times or count * 2 < len(texts):
        return None
    last = sentences[len(texts) - 1 - texts[::-1].index(text)]
    return last.start, last.end


def _tokens(answer: str, prose: str) -> Iterator[Finding]:
    """Yield control tokens; those at either edge can be taken out with the space around them."""
    places = special_tokens(prose)
    if not places:
        return
    start, end = edges(prose)
    body = answer[start:end]
    start += len(body) - len(body.lstrip())
    end -= len(body) - len(body.rstrip())
    inside = [place for place in places if start <= place[0] and place[1] <= end]
    if body.strip() and places[0][0] < start:
        yield _finding("special_token", (0, start), answer, fix="")
    for place in inside if body.strip() else places:
        yield _finding("special_token", place, answer)
    if body.strip() and places[-1][1] > end:
        yield _finding("special_token", (end, len(answer)), answer, fix="")


def _known_text(reading: Reading) -> str:
    """Return what the model was given; what stands there may be repeated, if not gladly."""
    exchange = reading.exchange
    return "\n".join((exchange.question, exchange.echo, *(one.text for one in exchange.sources)))


def _finding(
    kind: str, place: Place, answer: str, *, fix: str | None = None, score: float = 1.0
) -> Finding:
    return Finding(
        guard=Quality.id,
        code=f"{Quality.id}.{kind}",
        part="answer",
        span=Span(*place),
        observed=answer[slice(*place)],
        score=score,
        fix=fix,
    )


def _weak(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.WEAK, strength=Strength.E1)
