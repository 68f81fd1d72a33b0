"""The reader of references to law, of articles, and what sources hold of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.reading import Text
from guards.text.laws.article import read_articles
from guards.text.laws.index import LawIndex, Level
from guards.text.laws.law import Kind, LawReference, Tier, law_name, read_laws, same_law
from tests.fakes.growth import assert_grows_with_its_input
from tests.tables import each_row


def place(reference: LawReference) -> tuple[int | None, int, int | None, int | None, int, str]:
    return (
        reference.number,
        reference.branch,
        reference.paragraph,
        reference.item,
        reference.item_branch,
        reference.subitem,
    )


@each_row("text, expected", "articles")
def test_reads_one_article(text: str, expected: tuple[object, ...]) -> None:
    [reference] = read_laws(text)

    assert reference.kind is Kind.ARTICLE
    assert place(reference) == expected


@each_row("text", "no_reference")
def test_reads_nothing_where_nothing_is_cited(text: str) -> None:
    assert read_laws(text) == ()


@each_row("text, law, tier, surface", "laws")
def test_reads_whose_article_it_is(
    text: str, law: str, tier: Tier | None, surface: str | None
) -> None:
    reference = read_laws(text)[-1]

    assert (reference.law, reference.tier) == (law, tier)
    assert text[reference.start : reference.end] == (surface or text)


def test_a_list_shares_the_name_of_its_law() -> None:
    first, second, third = read_laws("「가나다법」 제7조제1항ㆍ제3항 및 제9조")

    assert {first.law, second.law, third.law} == {"가나다법"}
    assert [place(one)[:3] for one in (first, second, third)] == [
        (7, 0, 1),
        (7, 0, 3),
        (9, 0, None),
    ]


def test_the_end_of_a_range_knows_its_beginning() -> None:
    start, end = read_laws("제7조제2항부터 제5항까지")

    assert place(end)[:3] == (7, 0, 5)
    assert (start.since, end.since) == (None, 2)


def test_the_same_law_is_the_one_named_before() -> None:
    *_, reference = read_laws("「가나다법」 제7조를 본다. 같은 법 시행령 제2조도 본다.")

    assert (reference.law, reference.tier) == ("가나다법", Tier.DECREE)


def test_the_same_law_without_one_before_lies_elsewhere() -> None:
    [reference] = read_laws("같은 법 제2조를 본다.")

    assert reference.elsewhere


def test_a_longer_word_is_not_the_same_law() -> None:
    reference = read_laws("「가나다법」 제7조와 노동법 제6조")[-1]

    assert reference.law.endswith("노동법")


def test_the_same_article_and_paragraph_continue() -> None:
    _, article, paragraph = read_laws("제7조의2제1항 및 같은 조 제8항, 같은 항 제3호")

    assert place(article)[:4] == (7, 2, 8, None)
    assert place(paragraph)[:4] == (7, 2, 8, 3)


@each_row("text, kind, number, branch", "others")
def test_reads_what_is_not_an_article(
    text: str, kind: Kind, number: int | None, branch: int
) -> None:
    [reference] = read_laws(text)

    assert (reference.kind, reference.number, reference.branch) == (kind, number, branch)


def test_reads_the_number_of_promulgation() -> None:
    [reference] = read_laws("부칙 <제4321호, 2020. 1. 1.>")

    assert (reference.kind, reference.promulgation) == (Kind.ADDENDUM, 4321)


@given(
    st.integers(1, 999),
    st.integers(2, 30) | st.none(),
    st.integers(1, 50) | st.none(),
    st.integers(1, 99) | st.none(),
    st.sampled_from(["", " "]),
)
def test_reads_back_what_was_written(
    number: int, branch: int | None, paragraph: int | None, item: int | None, gap: str
) -> None:
    parts = [f"제{number}조" + (f"의{branch}" if branch else "")]
    parts += [f"제{paragraph}항"] if paragraph else []
    parts += [f"제{item}호"] if item else []

    [reference] = read_laws(f"근거는 {gap.join(parts)}입니다.")

    assert place(reference) == (number, branch or 0, paragraph, item, 0, "")


@given(st.text(alphabet="제조항호의1２①「」별표부칙법 령같은및~,()\n가나목", max_size=120))
def test_references_lie_in_order_inside_any_text(text: str) -> None:
    references = read_laws(text)

    assert all(0 <= one.start < one.end <= len(text) for one in references)
    assert [one.start for one in references] == sorted(one.start for one in references)


@each_row("unit", "a_long_text_of_one_kind_is_read_in_time")
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    def look(chars: int) -> None:
        text = unit * (chars // len(unit))
        read_laws(text)
        read_articles(text)

    assert_grows_with_its_input(look, 20_000)


BODY = """제7조(수당 등) ① 위원에게는 수당을 지급할 수 있다.
② 다음 각 호의 경우에는 그러하지 아니하다.
  1. 겸직
    가. 공공기관
    나. 학교
  2. 휴직
③ 제1항의 수당은 2024. 1. 1. 부터 지급한다.
제8조(위임) 그 밖의 사항은 규칙으로 정한다.
"""


@pytest.mark.parametrize("text", [BODY, " ".join(BODY.split())], ids=["lines", "one-line"])
def test_reads_articles_with_their_parts(text: str) -> None:
    seventh, eighth = read_articles(text)

    assert (seventh.number, eighth.number) == (7, 8)
    assert list(seventh.paragraphs) == [1, 2, 3]
    assert seventh.paragraphs[2].items == {(1, 0): "가나", (2, 0): ""}
    assert seventh.paragraphs[3].items == {}
    assert not seventh.cut
    assert not eighth.paragraphs


def test_the_title_names_the_article_of_a_text_without_heading() -> None:
    [article] = read_articles("① 하나. ② 둘.", title=(3, 2))

    assert (article.number, article.branch, list(article.paragraphs)) == (3, 2, [1, 2])


def test_a_cross_reference_with_title_is_no_heading() -> None:
    articles = read_articles("제7조(수당 등) 수당은 정한다. 제9조(위임)에 따라 정한 것도 같다.")

    assert [article.number for article in articles] == [7]


@each_row("line", "referred_to")
def test_a_line_that_opens_with_a_reference_is_no_heading(line: str) -> None:
    articles = read_articles(f"제7조(수당) ① 다음과 같다.\n{line}\n② 둘째 항이다.")

    assert [article.number for article in articles] == [7]
    assert list(articles[0].paragraphs) == [1, 2]


@each_row("text", "headings")
def test_a_heading_is_one_whatever_its_text_begins_with(text: str) -> None:
    assert [article.number for article in read_articles(text)] == [7]


def test_subitems_go_on_behind_the_first_fourteen() -> None:
    letters = "가나다라마바사아자차카타파하거너"
    listed = "\n".join(f"{letter}. 항목" for letter in letters)
    [article] = read_articles(f"제7조(정의) 다음 각 호와 같다.\n1. 시설\n{listed}")
    held, absent = read_laws("제7조제1호너목, 제7조제1호더목")

    assert article.whole.items[1, 0] == letters
    assert (held.subitem, absent.subitem) == ("너", "더")


def test_an_excerpt_may_leave_paragraphs_out() -> None:
    [article] = read_articles("① 하나이다.\n② 둘이다. 위 ④ 항목을 본다.\n⑤ 다섯이다.", title=(7, 0))

    assert list(article.paragraphs) == [1, 2, 5]
    assert article.cut


@each_row("text", "cut")
def test_a_cut_article_shows_it(text: str) -> None:
    [article] = read_articles(text, title=(7, 0))

    assert article.cut


@each_row("one, other, same", "same_law")
def test_tells_names_of_one_law(one: str, other: str, same: bool) -> None:
    assert same_law(law_name(one), law_name(other)) is same
    assert same_law(law_name(other), law_name(one)) is same


DECREE = Source("1", "라마법 시행령 제3조 (절차)", "① 법 제9조제2항에 따른다. ② 별표 2와 같다.")


@each_row("text", "held")
def test_the_index_holds_what_is_set_out_or_mentioned(text: str) -> None:
    [reference] = read_laws(text)

    assert LawIndex.of([DECREE]).missing(reference) is None


@each_row("text, level", "lacking")
def test_the_index_names_the_level_that_is_missing(text: str, level: Level) -> None:
    [reference] = read_laws(text)
    missing = LawIndex.of([DECREE]).missing(reference)

    assert missing is not None
    assert missing.level is level


def test_a_text_keeps_its_references() -> None:
    text = Text("제7조에 따른다.")

    assert text.laws is text.laws
    assert text.laws == read_laws(text.raw)
