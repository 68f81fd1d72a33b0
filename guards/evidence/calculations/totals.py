"""Totals and counts that an answer gives, and figures that it only supposes.

A count of the things it names (네 가지 beside a list of four), the total of a list's items or of a
column's cells; figures of a supposition (45시간을 세웠다면, 연세액이 50만 원이라면, 3명이면).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from guards.claims.layout import Block, Level
from guards.claims.reader import Claim, Reading
from guards.evidence.calculations.reckoning import kind_of, says
from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

_COUNTED_ITEMS = frozenset(
    {"종", "곳", "개", "건", "대", Dimension.PEOPLE, Dimension.BARE, "권", "병"}
)
_MOST = 30
_ITEM = re.compile(r"[ \t]*(?:[-*•·▪◦○●■◆▶✔✅]|\d{1,2}[.)]|[①-⑳❶-❿]|\d️?⃣|#{1,6} |[가-하][.)])[ \t]*")
_ORDINALS = ("첫째", "둘째", "셋째", "넷째", "다섯째", "여섯째")
_BETWEEN = re.compile(r",(?!\d)|·|/|와 |과 |및 |이랑 |하고 ")


def counted_items(answer: Reading, figure: Figure) -> bool:
    """Tell whether a figure is the number of things that the answer lists or names."""
    value = figure.measure.values[0]
    if (
        figure.measure.dimension not in _COUNTED_ITEMS
        or value.denominator > 1
        or not 1 < value <= _MOST
    ):
        return False
    number = int(value)
    plain = answer.page.plain
    return (
        number in _list_sizes(plain, figure.end)
        or _ordinals(plain[figure.end :]) == number
        or _named_before(answer, figure) == number
        or number in _table_sizes(answer, figure)
    )


def _list_sizes(plain: str, start: int) -> set[int]:
    """Return how many items of each depth follow."""
    sizes: dict[str, int] = {}
    for line in plain[start:].split("\n")[1:]:
        item = _ITEM.match(line)
        if item:
            indent = line[: len(line) - len(line.lstrip())]
            kind = "#" if line.lstrip().startswith("#") else indent
            sizes[kind] = sizes.get(kind, 0) + 1
    return set(sizes.values())


def _ordinals(text: str) -> int:
    count = 0
    for word in _ORDINALS:
        if word not in text:
            break
        count += 1
    return count


def _named_before(answer: Reading, figure: Figure) -> int:
    """Return how many things the sentence names before: 앱, 홈페이지, 우편, 방문 네 가지."""
    sentence = answer.sentences[figure.claim.sentence]
    before = answer.page.plain[sentence[0].start : figure.start]
    return len(_BETWEEN.findall(before)) + 1


def _table_sizes(answer: Reading, figure: Figure) -> set[int]:
    sizes: dict[int, set[int]] = {}
    for block in answer.page.blocks:
        if block.is_cell and block.start > figure.start:
            sizes.setdefault(block.table, set()).add(block.line)
    return {len(lines) - 1 for lines in sizes.values()}


_TOTAL = re.compile(
    r"합계|총계|소계|총액|총합|합산|^총(?![가-힣])|^총 |^계$|^합$|^전체$|모두 합|다 합"
)
_PART = re.compile(r"소계")
_TAKEN_OFF = re.compile(r"할인|감면|공제|차감")
_BEGINS = re.compile(r"\W*(?:합계|총액|총합|총|모두)[은는]?(?: |:)")
_MINUS = re.compile(r"[-−–]\s*[₩]?$")
_REMARK = re.compile(r"[ ]?\(")
_ARROW = re.compile(r"→|⇒|->|=>")
_FEWEST, _FEWEST_UNCALLED, _MOST_LINES, _MOST_OF_ONE = 2, 3, 12, 62
# A total of more than the amounts above, or of less: 총 비용(12개월), 할인 후 합계.
_TOTAL_OF_MORE = re.compile(r"\d|포함|할인|후[ )]|세금|부가세|왕복|인분|두 |세 |네 ")
_RATE = re.compile(
    r"당(?![가-힣])|씩|마다|(?:1|한)[ ]?(?:인|명|개|장|박|대|회|시간|달|병)(?![가-힣])|하루"
    r"|매[월일주]|(?<![가-힣])월(?![가-힣])"
)
_OF_LINE = frozenset({Level.ROW, Level.LABEL})


@dataclass(frozen=True, slots=True)
class Total:
    """A total that an answer gives.

    Attributes:
        figure: The total.
        items: What it adds up.
        right: What they come to.
        is_right: Whether that is the total.
        is_certain: Whether it can be nothing else that is added up.
    """

    figure: Figure
    items: tuple[Figure, ...]
    right: Fraction
    is_right: bool
    is_certain: bool


def totals(answer: Reading, figures: Sequence[Figure], results: frozenset[int]) -> Iterator[Total]:
    """Yield the totals of an answer.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        results: Where the results of its equations begin.
    """
    yield from _of_columns(answer, figures, results)
    yield from _of_lists(answer, figures, results)


def _text(answer: Reading, block: Block) -> str:
    return answer.page.plain[block.start : block.end].strip()


def _of_columns(
    answer: Reading, figures: Sequence[Figure], results: frozenset[int]
) -> Iterator[Total]:
    names: dict[tuple[int, int], str] = {}
    for block in answer.page.blocks:
        if block.is_cell and (block.table, block.line) not in names:
            names[block.table, block.line] = _text(answer, block)
    cells: dict[tuple[int, int], list[Figure]] = {}
    for figure in figures:
        block = figure.claim.block
        if block.is_cell and not _is_head(block):
            cells.setdefault((block.table, block.column), []).append(figure)
    for (table, _), column in cells.items():
        for figure in column:
            line = figure.claim.block.line
            if not says("total", names[table, line]):
                continue
            above = [
                one
                for one in column
                if one.claim.block.line < line
                and kind_of(one.measure) == kind_of(figure.measure)
                and not says("total", names[table, one.claim.block.line])
                and not _is_remark(answer, one)
            ]
            # An equation in a cell gives its result.
            shown = {one.claim.block.line for one in above if one.start in results}
            above = [
                one for one in above if one.start in results or one.claim.block.line not in shown
            ]
            # 1,184,400원 × 20% in another row: what that row is worked out from is no item itself.
            items = [one for one in above if not _is_worked_with(one, figures)]
            lines = [one.claim.block.line for one in items]
            is_certain = len(set(lines)) == len(lines) == len(above)
            is_certain = is_certain and not figure.quantity.comparing_word
            # 정가, 할인 후: two stages of one amount.
            is_certain = is_certain and not any(_STAGE.search(names[table, one]) for one in lines)
            total = _total(answer, figure, items, is_certain=is_certain)
            if total is not None and not total.is_right:
                some = (_total(answer, figure, it, is_certain=False) for it in _without_rate(items))
                total = next((one for one in some if one and one.is_right), total)
            if total is not None and not _is_counted(total, names[table, line], above):
                yield total


_STAGE = re.compile(r"정가|(?:할인|감면|적용|공제|인상|변경)[ ]?(?:전|후)$")


def _is_worked_with(item: Figure, figures: Sequence[Figure]) -> bool:
    """Tell whether another row of a table works with an item's amount, in another column."""
    own = item.claim.block
    return any(
        one.measure == item.measure
        and one.claim.block.table == own.table
        and one.claim.block.line != own.line
        and one.claim.block.column != own.column
        for one in figures
    )


def _is_remark(answer: Reading, item: Figure) -> bool:
    """Tell whether an amount only explains its cell: 무료(원래 210,000원)."""
    before = answer.page.plain[item.claim.block.start : item.start]
    return before.count("(") > before.count(")") and not before.strip().startswith("(")


# 2일 합계 under 하루 보험금: as often the row above as the label says.
_OFTEN = re.compile(r"(\d{1,2})[ ]?(?:일|회|박|명|인|개월|달|년|건|주|대|마리)")


def _is_counted(total: Total, name: str, above: Sequence[Figure]) -> bool:
    """Tell whether a total is one of the amounts above it, as often as its row's name says."""
    value = total.figure.measure.values[0]
    often = map(int, _OFTEN.findall(name))
    return any(one.measure.values[0] * count == value for count in often for one in above)


def _without_rate(items: Sequence[Figure]) -> Iterator[Sequence[Figure]]:
    """Yield the items without one that another row is a multiple of: the price of one."""
    for one in items:
        others = [other for other in items if other is not one]
        rate = one.measure.values[0]
        if rate > 0 and any(_is_multiple(other.measure.values[0], rate) for other in others):
            yield others


def _is_multiple(value: Fraction, rate: Fraction) -> bool:
    number = value / rate
    return 1 < number <= _MOST_OF_ONE and (2 * number).denominator == 1


def _is_head(block: Block) -> bool:
    return block.is_heading and block.column > 0


def _total(
    answer: Reading, figure: Figure, items: Sequence[Figure], *, is_certain: bool
) -> Total | None:
    if len(items) < _FEWEST:
        return None
    width = len(figure.measure.values)
    sums = tuple(
        sum((signed(answer, one, at) for one in items), Fraction(0)) for at in range(width)
    )
    plain = tuple(sum((_at(one, at) for one in items), Fraction(0)) for at in range(width))
    is_right = figure.measure.values in {sums, plain}
    if figure.measure.dimension == Dimension.PERCENT and not is_right:
        return None
    return Total(figure, tuple(items), sums[0], is_right, is_certain)


def signed(answer: Reading, figure: Figure, at: int) -> Fraction:
    """Return one of a figure's values, below zero where its row or a minus says so."""
    value = _at(figure, at)
    before = answer.page.plain[max(0, figure.start - 3) : figure.start]
    labels = [label.text for label in figure.claim.block.labels if label.level in _OF_LINE]
    is_less = _MINUS.search(before) or any(says("less", label) for label in labels)
    return -value if is_less else value


def _at(figure: Figure, at: int) -> Fraction:
    values = figure.measure.values
    return values[min(at, len(values) - 1)]


def _of_lists(
    answer: Reading, figures: Sequence[Figure], results: frozenset[int]
) -> Iterator[Total]:
    blocks = [block for block in answer.page.blocks if not block.is_cell]
    inside: dict[int, list[Figure]] = {}
    for one in figures:
        inside.setdefault(one.claim.block.start, []).append(one)
    for at, block in enumerate(blocks):
        own = inside.get(block.start, [])
        if len(own) != 1 and not (own and _is_total(answer, block, own)):
            continue
        if own[0].start in results:
            continue
        # Under any other name it is a total only if it is the right one.
        is_called_so = _is_total(answer, block, own)
        kind = kind_of(own[0].measure)
        items: list[Figure] = []
        shares: set[Fraction] = set()
        is_certain = not _TOTAL_OF_MORE.search(_label(answer, own[0]))
        for line in _items_above(blocks[:at], block, inside):
            some = [one for one in line if kind_of(one.measure) == kind]
            shown = [one for one in some if one.start in results]
            picked = shown or _behind_arrow(answer, some)
            if picked:
                items.append(picked[-1])
            shares |= {one.measure.values[0] / 100 for one in line if _is_percent(one)}
            is_certain &= len(picked) == 1
            is_certain &= bool(shown) or not any(_is_rate(answer, one) for one in picked)
        total = _total(answer, own[0], items[::-1], is_certain=is_certain)
        if total is not None and (
            is_called_so or (total.is_right and len(items) >= _FEWEST_UNCALLED)
        ):
            yield replace(total, is_right=total.is_right or _is_after_share(total, shares))


def _is_after_share(total: Total, shares: Iterable[Fraction]) -> bool:
    """Tell whether a total is what a share of its items leaves, or makes with them."""
    value = total.figure.measure.values[0]
    return any(value in {total.right * (1 - one), total.right * (1 + one)} for one in shares)


def _is_total(answer: Reading, block: Block, own: Sequence[Figure]) -> bool:
    """Tell whether a line gives a total and nothing else, but for remarks in brackets."""
    names = [label.text for label in block.labels if label.level is Level.LABEL]
    if not (any(says("total", name) for name in names) or _BEGINS.match(_text(answer, block))):
        return False
    behind = answer.page.plain[own[0].end : block.end]
    return len(own) == 1 or _REMARK.match(behind) is not None


def _items_above(
    blocks: Sequence[Block], total: Block, inside: Mapping[int, Sequence[Figure]]
) -> Iterator[Sequence[Figure]]:
    """Yield the figures of each line of the list above a total, from below."""
    line, found = total.line, False
    for block in reversed(blocks):
        # The label of a line is a block of its own.
        is_label = block.is_heading and block.line == line
        is_apart = found and line - block.line > 1
        if (block.is_heading and not is_label) or is_apart or total.line - line > _MOST_LINES:
            break
        line = block.line
        some = inside.get(block.start, ())
        if some:
            found = True
            yield some
        elif found and not is_label:
            break


def _is_percent(figure: Figure) -> bool:
    return figure.measure.dimension == Dimension.PERCENT


def _label(answer: Reading, figure: Figure) -> str:
    """Return what stands before a figure in its line."""
    line = answer.page.plain[answer.page.plain.rfind("\n", 0, figure.start) + 1 : figure.start]
    return _ITEM.sub("", line, count=1) if _ITEM.match(line) else line


def _is_rate(answer: Reading, figure: Figure) -> bool:
    """Tell whether an amount is for one of several: 1인당 8,000원, 월 30,000원."""
    return _RATE.search(_label(answer, figure)) is not None


def _behind_arrow(answer: Reading, figures: Sequence[Figure]) -> Sequence[Figure]:
    """Return the last of some figures if the others lead to it: 250,000원 → 125,000원."""
    if len(figures) < _FEWEST:
        return figures
    between = answer.page.plain[figures[-2].end : figures[-1].start]
    return figures[-1:] if _ARROW.search(between) else figures


# (예: 50g이면 5,000원)
_IN_BRACKETS = re.compile(r"[(（](?P<own>[^()（）]{1,20})$")
_IF = re.compile(r"[^,.)）\n]{0,10}?(?:면|때|경우)(?![가-힣])")
_ENOUGH = re.compile(r"[가-힣]면[ ]?(?:되|됩|돼|충분)")
_LIMITS = re.compile(r"이상|이하|초과|미만|이내|넘|까지|부터")


class Suppositions:
    """Assumptions of an answer."""

    def __init__(self, answer: Reading) -> None:
        self._answer = answer

    def has(self, figure: Figure) -> bool:
        """Tell whether a figure is only supposed."""
        if figure.quantity.comparing_word or _LIMITS.match(
            self._answer.page.plain[figure.end : figure.end + 4].lstrip()
        ):
            return False
        if self._is_example_in_brackets(figure):
            return True
        sentence = self._answer.sentences[figure.claim.sentence]
        # What stands before 예를 들어 is no part of the example.
        frame = max(
            (one.position for one in sentence[: figure.claim.position + 1] if _is_framed(one)),
            default=0,
        )
        if not _leads_to_condition(figure.claim, sentence[frame:], frame):
            return False
        text = self._answer.page.plain[sentence[0].start : sentence[-1].end]
        own = figure.claim.text
        return (
            says("example", text)
            or any(says("example", label.text) for label in figure.claim.block.labels)
            or says("supposed", own)
            or (_if_so_many(figure) and _goes_on(figure, sentence))
            or _if_so_much(figure, sentence)
        )

    def _is_example_in_brackets(self, figure: Figure) -> bool:
        plain = self._answer.page.plain
        before = _IN_BRACKETS.search(plain, max(0, figure.start - 24), figure.start)
        return (
            before is not None
            and says("example", before["own"])
            and _IF.match(plain, figure.end) is not None
        )


def _is_framed(claim: Claim) -> bool:
    return says("example", claim.text)


def _leads_to_condition(claim: Claim, sentence: tuple[Claim, ...], first: int) -> bool:
    """Tell whether a clause is a condition, or goes on to the first one of its sentence.

    Args:
        claim: The clause.
        sentence: The clauses of its sentence, from one on.
        first: The number of that one.
    """
    if _is_condition(claim):
        return True
    before = sentence[: claim.position - first]
    after = sentence[claim.position - first + 1 :]
    return any(map(_is_condition, after)) and not any(map(_is_condition, before))


def _is_condition(claim: Claim) -> bool:
    clause = claim.clause
    return (
        clause.is_condition
        or clause.is_concession
        or says("supposed", claim.text)
        or _ENOUGH.search(claim.text) is not None
    )


_COUNTED_CONDITIONS = frozenset(
    {Dimension.PEOPLE, "개", "대", "장", "박", "병", "건", "권", "마리"}
)


def _if_so_many(figure: Figure) -> bool:
    return figure.measure.dimension in _COUNTED_CONDITIONS and figure.claim.clause.is_condition


_SO_MUCH = re.compile(r"[ ]?(?:이?면|[을를어][^\d.\n]{1,14}면)(?![가-힣])")


def _if_so_much(figure: Figure, sentence: tuple[Claim, ...]) -> bool:
    """Tell whether an amount is supposed: 1,000만 원을 거래하시면 364원입니다."""
    if figure.measure.dimension != Dimension.WON or not figure.claim.clause.is_condition:
        return False
    behind = figure.claim.text[figure.end - figure.claim.start :]
    return _SO_MUCH.match(behind) is not None and any(
        one.measure.dimension == Dimension.WON
        for claim in sentence[figure.claim.position + 1 :]
        for one in claim.clause.figures
    )


def _goes_on(figure: Figure, sentence: tuple[Claim, ...]) -> bool:
    """Tell whether figures follow in the same sentence, which may be reckoned from it."""
    return any(one.clause.figures for one in sentence[figure.claim.position + 1 :])
