"""Finds swear words that are used, not quoted, and whom they are aimed at.

The words stand in `guards.lexicons` (``swearwords.txt``); the patterns here tell what may stand
around them, and find those that are not spelled out in syllables (``시ㅂ``, ``ㅂ신``, ``씨X``), and
those drawn out or broken up on purpose (``시이발``, ``시♡발``). The latter also match at the end of
one word and the beginning of the next (``접수시. 발급``), so what stands around them is looked at.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from guards.complaints.words import TOPIC, words
from guards.lexicons.loading import sections
from guards.text.hangul import initial_of, is_syllable, parts_of, syllable, typed_on_latin_keys

# Digits stand in for a vowel stroke (시1발); symbols, laughter and spaces part the syllables.
_GAP = re.compile(r"[^A-Za-z가-힣ㄱ-ㅊㅌㅍㅏ-ㅛㅝ-ㅟㅢㅣ\n]{0,4}")
_MOST_REPETITIONS = 5


class DisguisedWords:
    """Words in hash tables: of all their beginnings, with the characters that may come next.

    Args:
        words: In syllables, as they are pronounced, or in bare consonants.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._next: dict[str, set[str]] = {word: set() for word in self._words}
        for word in self._words:
            for at, char in enumerate(word):
                self._next.setdefault(word[:at], set()).update((char, _open(char)))
        self._opener = re.compile(f"[{re.escape(''.join(sorted(self._next.get('', ()))))}]")

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the place of every way to read one of the words in a text."""
        for opener in self._opener.finditer(text):
            at = opener.start()
            for end in self._ends(text, at, ""):
                yield at, end

    def _ends(self, text: str, at: int, before: str) -> Iterator[int]:
        if text[at : at + 1] not in self._next[before]:
            return
        for read, end in _readings(text, at):
            word = before + read
            if word not in self._next:
                continue
            if word in self._words:
                yield end
            gap = _GAP.match(text, end)
            yield from self._ends(text, gap.end() if gap else end, word)


def _readings(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the syllables that may be meant at a position, and where each ends."""
    if at == len(text):
        return
    char = text[at]
    yield char, at + 1
    if not is_syllable(char):
        return
    initial, vowel, final = parts_of(char)
    if final:
        return
    longer = syllable("ㅇ", vowel, "")
    for end in range(at + 1, min(at + 1 + _MOST_REPETITIONS, len(text))):
        last = text[end]
        if is_syllable(last):
            silent, same, final = parts_of(last)
            if silent == "ㅇ" and same == vowel and final:
                yield syllable(initial, vowel, final), end + 1
        if last != longer:
            return
        yield char, end + 1


def _open(char: str) -> str:
    """Return a syllable without its final; other characters stay."""
    if not is_syllable(char):
        return char
    initial, vowel, _ = parts_of(char)
    return syllable(initial, vowel, "")


_TABLE = sections("swearwords")


def _listed(heading: str) -> list[str]:
    return [word for line in _TABLE[heading] for word in line.split()]


def _spelled(heading: str) -> Iterator[str]:
    """Yield every spelling of the roots, one root a line."""
    for root in _TABLE[heading]:
        yield from map("".join, product(*root.split()))


def _half_cut() -> Iterator[str]:
    """Yield words with one of their first two syllables cut down to its first consonant."""
    for word in _listed("half cut"):
        yield word[0] + initial_of(word[1]) + word[2:]
        yield initial_of(word[0]) + word[1:]


_ANYWHERE = (*_spelled("roots anywhere"), *_listed("anywhere"))
_AT_WORD_START = (*_spelled("roots at word start"), *_listed("at word start"))
_CUT_DOWN = (*_listed("initials"), *_half_cut())
# It swears as an attribute; it also is a plain verb.
_MAD = ("미친",)

# Particles, endings and the nouns that a swear word builds compounds with. A content noun, such as
# 역 in 시발역, has other syllables, so the word does not end where the pattern wants it to.
_SUFFIX = (
    "[놈롬년뇬눔련럼넘새색쉐쌔끼기키들것거같은는네냐니이인임아야가하지다요마고더럽만또진짜왜]{0,6}"
    r"(?:\s같은)?(?:\s(?:새끼|쌔끼|쉐끼|자식|놈|년)(?:야|아|들아|들|이|네|같은)?(?![가-힣]))?"
)
_WORD_END = r"(?![가-힣])"
# Written together with what follows them.
_SIGHS = "(?:아니|야이|아오|아|야|와|하|어휴|에휴|참나|헐|에이|이씨|이|개|존나|진짜|좀|걍|그냥)"
_WORD_START = rf"(?<![가-힣]){_SIGHS}{{0,2}}"
_INTENSIFIER = "[개씹십쌍좆핵왕생]?"
_BEFORE_CUT_DOWN = rf"(?<![ㄱ-ㅎ가-힣]){_SIGHS}{{0,2}}"
_BEHIND_CUT_DOWN = rf"{_SUFFIX}{_WORD_END}(?![ㄱ-ㅊㅌㅍ])"
# 미친 is a plain verb after 에/까지 (환경에 미친 영향).
_BEFORE_MAD = r"(?<![가-힣])(?<!에 )(?<!지 )"
_BEHIND_MAD = rf"(?:거)?{_WORD_END}(?!\s*(?:영향|효과|결과|여파|파급|파장|듯))"
# 꺼져 있다 and 닥쳐오다 are ordinary verbs.
_BEFORE_ORDER = rf"{_WORD_START}(?:(?:입|아가리|주둥이|주둥아리|나가)\s?)?"
_BEHIND_ORDER = (
    r"(?:라|라고|요|세요|줘|줄래|쇼|고|좀|시지|시죠|버려|버려라|냐|어{1,4})?(?:진짜|참|하|에휴|이씨|아씨)?(?![가-힣])"
    r"(?!\s*(?:있|가는|가고|버리|버렸|나가|들어|내|보|봐|봤|봐야|오))"
)
# In front of an order to go or to be silent: what is called names, and what drives it on.
_INSULTS = (
    r"(?<![가-힣])(?:(?:똥|개|완전)?(?:멍청|한심|무식|무능|답답|미련|아둔|우둔|뻔뻔|모자란|구질구질)(?:한|하고|하기)?"
    r"|(?:쓸모|쓸데|형편|재수|싸가지|예의|개념|눈치|양심)\s?없는|덜떨어진|덜\s떨어진|못된|건방진|시끄러운"
    r"|지긋지긋한|짜증\s?나는|귀찮은|(?:바보|쓰레기|깡통|고물|거지|등신|머저리|천치)\s?같은)(?=\s)"
    r"|(?<![가-힣])(?:똥|개)?(?:바보|천치|멍청이|멍충이|멍텅구리|돌대가리|돌머리|밥통|깡통|고물|고철|쓰레기|머저리|얼간이)"
    r"(?:야|아|들아|녀석아)(?![가-힣])|(?<![가-힣])(?:멍청아|멍충아|것아|것들아|녀석아|자식아)(?![가-힣])"
    r"|(?<![가-힣])(?:저리로?|썩|당장|빨리|얼른|어서|그만|이만)(?![가-힣])"
    r"|(?<![가-힣])(?:(?:할\s?말|대?답|답변|아는\s?것?)(?:이|도)?\s?없으면|모르겠?으?면|(?:대?답|답변|말)(?:도)?\s?못\s?하면)(?![가-힣])"
)
# A thing that goes out, of itself or over and over, is not told to go: 기계가 자꾸 꺼져.
_GOES_OUT = (
    r"(?<![가-힣])(?:자꾸|계속|또|저절로|갑자기|혼자|스스로|왜|맨날|매번|금방)(?![가-힣])"
    r"|(?<=[가-힣])(?:(?<![니네])가|(?<![에어아])이)\s"
)
# In place of the second syllable of 씨발, and what stands for the whole of it.
_LIKE_BAL = r"(?<![가-힣A-Za-z])[시씨씹쒸슈]\s?(?:[bv]al|bar)(?![a-z])"
_EIGHTEEN = "(?:18|십팔|씹팔)"

_HARMLESS = (
    r"씨\s?발아(?=\s?(?:조건|시기|율|온도|기간|방법|과정|실험|적온))|"
    r"시발(?:점|역|지|비용|택시|자동차|차|이라는\s?자동차)|병신(?:년(?!아|들|이[야네])|월|일주)|지랄(?:탄|까|지\b)"
    r"|(?:날|글|솜|말|불|맵|마음|아저)씨\s?(?=[발벌팔바불빨])|시바(?:견|이누|신)|시벌\s?나무|병\s+신(?=[고청규체경])|쓰바루|슈바이"
    r"|새끼(?:손|발|줄|돼지|고양|강아지)|염병(?:이|을|은|에)|양아치(?:\s?영화)|등신(?:대|불)|개소리를?\s녹음"
    r"|후장(?:거래|에)|족발|빠가(?:사리\s?(?:매운탕|낚시|찜))"
    r"|거시기|씨불알|창녀촌|씨바이오"
)
_UNSPELLED = (
    r"(?<![가-힣0-9])(?:씨|시|ㅆ|ㅅ|십|씹)8(?![0-9가-힣])"
    # The rest is masked: 씨X, 시*, 병**, X발.
    r"|(?<![가-힣0-9])(?:씨|시|씹|ㅆ|ㅅ|병|개|지|좆|ㅂ)(?:[*○×]{1,3}|[xX]{1,2}(?![a-zA-Z]))(?:놈|년|끼|새끼)?"
    rf"(?:아|야|들|들아)?{_WORD_END}"
    rf"|(?<![가-힣A-Za-z0-9])[*○×xX]발{_SUFFIX}{_WORD_END}"
    # Whatever stands before: nobody else is called so.
    r"|(?<![가-힣])(?!(?:소|청|중|노|유|장|학|미성)년)[가-힣]{1,6}(?:놈|년|뇬|넘|새끼|쌔끼|새키|새퀴|쉐끼)(?:아|들아|야)(?![가-힣])"
    # The number that sounds like 씨발, as no number is used.
    r"|(?<![\d가-힣])(?:18|십팔|씹팔|10|씨8|시8|십8)(?:놈|년아|새끼|새키|쌔끼|쉐끼|색끼|색|넘|럼|롬|뇬|창)(?:아|야|들아|들)?(?![가-힣])"
    rf"|(?<![가-힣])(?:에이|야|아|이런)\s{_EIGHTEEN}(?![\w.,:])|(?<![\d.,:가-힣]){_EIGHTEEN}\s진짜(?!\s*\w)"
    rf"|(?i:(?<![a-z])(?:f[\W_]u[\W_]c[\W_]k|{'|'.join(_listed('latin'))})(?:\s(?:you|u|off|up))?(?![a-z])|{_LIKE_BAL})"
    r"|凸|(?<![ㄱ-ㅣ가-힣A-Za-z0-9])ㅗ{1,9}(?![ㄱ-ㅣ가-힣])"
)
# What may follow a swear word that is mentioned, not used.
_MENTIONED = (
    r"[\"'’”」』)]*\s*(?:이?라[고는며니던]|이?란\s?(?:말|욕|단어|표현)|같은\s?(?:말|욕|표현|단어|비속어)"
    r"|등의?\s?(?:말|욕|표현|단어|비속어)|은\s?욕|는\s?욕|도\s?욕|이\s?욕|가\s?욕|의?\s?(?:뜻|어원|의미)"
    r"|(?:이|가|은|는)?\s?(?:무슨|어떤)\s?(?:뜻|말|욕|의미))"
)

_MENTIONED_AT = re.compile(_MENTIONED)
_TO_GO = re.compile("[꺼껴ㄲ]")
_SEPARATOR = re.compile(r"[^가-힣ㄱ-ㅎ]")
_SYLLABLE = re.compile(r"[가-힣]")
_CLAUSE_END = re.compile(r"[.?!,;~…\n]|지\s?(?:말고|마)\s")
_SECOND_PERSON_END = re.compile(r"[아야냐니]$")
# Behind a consonant 아 only calls; 야 may also tell of somebody (그 사람 병신이야).
_CALL = re.compile(r"[놈년들신넘럼롬련]아$")
_LATIN_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{4,12}(?![A-Za-z])")
_LONGEST_FRONT_CHARS = 10


@dataclass(frozen=True, slots=True)
class Swearword:
    """A swear word.

    Attributes:
        start: Where it begins in the text.
        end: Behind its last character.
        addresses: Whether its form may address somebody.
        calls: Whether its form can do nothing else.
    """

    start: int
    end: int
    addresses: bool
    calls: bool


class _Match(NamedTuple):
    start: int
    end: int
    is_order: bool = False


class _Kind:
    """Swear words that need the same things around them."""

    def __init__(self, words: tuple[str, ...], before: str, behind: str) -> None:
        self._words = DisguisedWords(words)
        self._before = re.compile(f"{before}$")
        self._behind = re.compile(behind)

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the place of every such word with what belongs to it."""
        for start, end in self._words.found(text):
            before = self._before.search(text, max(0, start - _LONGEST_FRONT_CHARS), start)
            behind = self._behind.match(text, end)
            if before and behind:
                yield before.start(), behind.end()


_WHOLE_WORD = _SUFFIX + _WORD_END
_KINDS = (
    _Kind(_ANYWHERE, _INTENSIFIER, _SUFFIX),
    _Kind(_AT_WORD_START, _WORD_START, _WHOLE_WORD),
    _Kind(_CUT_DOWN, _BEFORE_CUT_DOWN, _BEHIND_CUT_DOWN),
    _Kind(_MAD, _BEFORE_MAD, _BEHIND_MAD),
)
_ORDERS = _Kind(tuple(_listed("orders")), _BEFORE_ORDER, _BEHIND_ORDER)


def swearwords(text: str) -> list[Swearword]:
    """Return the swear words of a text whose syllables are joined, in their order."""
    text = re.sub(_HARMLESS, lambda found: " " * len(found[0]), text)
    used = [_swearword(match, text[match.start : match.end]) for match in _matches(text)]
    for latin in _LATIN_WORD.finditer(text):
        typed = typed_on_latin_keys(latin[0])
        used += (
            _swearword(_Match(*latin.span(), match.is_order), typed)
            for match in _matches(typed)
            if (match.start, match.end) == (0, len(typed))
        )
    return sorted(used, key=lambda word: word.start)


def _matches(text: str) -> Iterator[_Match]:
    """Yield what is used, each behind the one before it; of those that overlap, the longest."""
    found = [_Match(*place) for kind in _KINDS for place in kind.found(text)]
    found += (_Match(*place, is_order=True) for place in _ORDERS.found(text))
    found += (_Match(*match.span()) for match in re.finditer(_UNSPELLED, text))
    reached = 0
    for match in sorted(found, key=lambda match: (match.start, -match.end)):
        if match.start >= reached and _is_used(text, match):
            reached = match.end
            yield match


def _swearword(match: _Match, word: str) -> Swearword:
    return Swearword(
        match.start,
        match.end,
        addresses=match.is_order or _SECOND_PERSON_END.search(word) is not None,
        calls=_CALL.search(word) is not None,
    )


def _is_used(text: str, match: _Match) -> bool:
    if _MENTIONED_AT.match(text, match.end) or _joins_two_words(text, match.start, match.end):
        return False
    return not match.is_order or _opens_clause(text, match)


def _joins_two_words(text: str, start: int, end: int) -> bool:
    """Tell whether a broken-up match is one word's end and the next one's beginning."""
    if not _SEPARATOR.search(text, start, end):
        return False
    return bool(_SYLLABLE.search(text[max(0, start - 1) : start] + text[end : end + 1]))


def _opens_clause(text: str, order: _Match) -> bool:
    """Tell whether nothing but sighs, names for the bot and insults stand before an order."""
    before = _CLAUSE_END.split(text[: order.start])[-1]
    if _TO_GO.search(text, order.start, order.end) and re.search(_GOES_OUT, before):
        return False
    before = re.sub(_INSULTS, " ", before)
    kinds = frozenset[str]().union(*(word.kinds for word in words(before)))
    return not kinds & {TOPIC, "others"}
