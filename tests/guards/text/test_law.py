"""The reader of references to law, of articles, and what sources hold of both."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.reading import Text
from guards.text.laws.article import read_articles
from guards.text.laws.index import LawIndex, Level
from guards.text.laws.law import Kind, LawReference, read_laws
from guards.text.laws.name import Tier, law_name, same_law
from tests.fakes.growth import assert_grows_with_its_input


def place(reference: LawReference) -> tuple[int | None, int, int | None, int | None, int, str]:
    return (
        reference.number,
        reference.branch,
        reference.paragraph,
        reference.item,
        reference.item_branch,
        reference.subitem,
    )


ARTICLES = [
    pytest.param("제7조", (7, 0, None, None, 0, ""), id="article"),
    pytest.param("제7조의2", (7, 2, None, None, 0, ""), id="branch"),
    pytest.param("제7조의2제3항제4호의5나목", (7, 2, 3, 4, 5, "나"), id="all-levels"),
    pytest.param("제 7 조 의 2 제 3 항", (7, 2, 3, None, 0, ""), id="spaced"),
    pytest.param("제7조 3항 2호", (7, 0, 3, 2, 0, ""), id="short-form"),
    pytest.param("제7조의 3항", (7, 0, 3, None, 0, ""), id="of-the-paragraph-is-no-branch"),
    pytest.param("제7조⑮", (7, 0, 15, None, 0, ""), id="circled"),
    pytest.param("제7조㉑", (7, 0, 21, None, 0, ""), id="circled-second-block"),
    pytest.param("제7조㊱", (7, 0, 36, None, 0, ""), id="circled-third-block"),
    pytest.param("제７조제２항", (7, 0, 2, None, 0, ""), id="full-width-digits"),
    pytest.param("제7조(수당 등)제2항", (7, 0, 2, None, 0, ""), id="heading-between"),
    pytest.param("근거: 41조", (41, 0, None, None, 0, ""), id="bare-behind-citing-word"),
    pytest.param("41조 2항", (41, 0, 2, None, 0, ""), id="bare-with-paragraph"),
    pytest.param("41조에 따르면", (41, 0, None, None, 0, ""), id="bare-before-citing-word"),
    pytest.param("가나다법 41조", (41, 0, None, None, 0, ""), id="bare-behind-a-law"),
    pytest.param("(41조)", (41, 0, None, None, 0, ""), id="bare-alone-in-brackets"),
    pytest.param("제7조의 3가지 요건", (7, 0, None, None, 0, ""), id="a-count-is-no-branch"),
]


@pytest.mark.parametrize(("text", "expected"), ARTICLES)
def test_reads_one_article(text: str, expected: tuple[object, ...]) -> None:
    [reference] = read_laws(text)

    assert reference.kind is Kind.ARTICLE
    assert place(reference) == expected


NO_REFERENCE = [
    pytest.param("예산은 3조 원입니다.", id="money"),
    pytest.param("예산은 3조원, 내년은 2조 5천억 원입니다.", id="money-of-two-units"),
    pytest.param("참가자를 3조로 나누어 진행합니다.", id="teams"),
    pytest.param("제1조와 제2조로 편성합니다.", id="numbered-teams"),
    pytest.param("가나다법 관련 예산은 3조 원입니다.", id="money-near-a-law"),
    pytest.param("2인 1조로 일합니다.", id="pairs"),
    pytest.param("제3조정실과 제2조직에 문의하세요.", id="other-words-with-the-syllable"),
    pytest.param("1,200조에 이릅니다.", id="separated-digits"),
    pytest.param("전화기의 별표를 누르세요.", id="star-key"),
    pytest.param("성차별표현을 쓰지 마세요.", id="inside-a-word"),
    pytest.param("총회에 부칙 사항을 정합니다.", id="addendum-that-is-none"),
    pytest.param("제2장비를 제1장관에게 보냅니다.", id="chapter-that-is-none"),
    pytest.param("법률 제12345호", id="promulgation-number"),
    pytest.param("「봄날의 편지」를 읽었습니다.", id="quoted-title-of-a-book"),
]


@pytest.mark.parametrize("text", NO_REFERENCE)
def test_reads_nothing_where_nothing_is_cited(text: str) -> None:
    assert read_laws(text) == ()


LAWS = [
    pytest.param("「가나다법」 제7조", "가나다법", None, "「가나다법」 제7조", id="quoted"),
    pytest.param("「가나다법」 시행령 제7조", "가나다법", Tier.DECREE, None, id="decree-outside"),
    pytest.param('「가나다법」(이하 "법"이라 한다) 제7조', "가나다법", None, None, id="short-name"),
    pytest.param("가나다법 제7조", "가나다법", None, "가나다법 제7조", id="unquoted"),
    pytest.param(
        "그 일은 가나다법 제7조", "그 일은 가나다법", None, "가나다법 제7조", id="words-too"
    ),
    pytest.param("가나다법 시행령 제7조", "가나다법 시행령", None, "시행령 제7조", id="decree"),
    pytest.param("시행령 제7조", "", Tier.DECREE, "시행령 제7조", id="decree-without-name"),
    pytest.param("근기법 제7조", "근기법", None, None, id="short-name-that-ends-like-a-skill"),
    pytest.param("법 제7조", "", Tier.ACT, "법 제7조", id="stands-for-the-law"),
    pytest.param("영 제7조", "", Tier.DECREE, "영 제7조", id="stands-for-the-decree"),
    pytest.param("이 법 제7조", "", None, "이 법 제7조", id="this-law"),
    pytest.param("다음 방법 제7조", "", None, "제7조", id="a-way-is-no-law"),
]


@pytest.mark.parametrize(("text", "law", "tier", "surface"), LAWS)
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


OTHERS = [
    pytest.param("별표 3의2", Kind.TABLE, 3, 2, id="table"),
    pytest.param("[별표7]", Kind.TABLE, 7, 0, id="table-in-brackets"),
    pytest.param("별표에 따라", Kind.TABLE, None, 0, id="the-only-table"),
    pytest.param("별지 제3호의2서식", Kind.FORM, 3, 2, id="form"),
    pytest.param("부칙 제2조", Kind.ADDENDUM, 2, 0, id="addendum"),
    pytest.param("제4장", Kind.CHAPTER, 4, 0, id="chapter"),
    pytest.param("제2절의3", Kind.CHAPTER, 2, 3, id="section"),
]


@pytest.mark.parametrize(("text", "kind", "number", "branch"), OTHERS)
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


@pytest.mark.parametrize("unit", ["제", "「", "1", "제1조", "제1조 ", "별표", "(", "①", "법 "])
def test_a_long_text_of_one_kind_is_read_in_time(unit: str) -> None:
    def look(chars: int) -> None:
        text = unit * (chars // len(unit))
        read_laws(text)
        read_articles(text)

    assert_grows_with_its_input(look, 100_000)


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


REFERRED_TO = [
    pytest.param("1. 제5조에 따라 신청한 자는 ① 신청서 ② 사본을 낸다.", id="list-item"),
    pytest.param("제3조제1항에 따라 신청한 자는 ① 신청서를 낸다.", id="paragraph"),
    pytest.param("제5조 단서에 해당하는 경우", id="proviso"),
    pytest.param("제5조 전단에 따라 정한 자", id="first-sentence"),
    pytest.param("제5조 각 호의 자", id="its-items"),
    pytest.param("제5조(신청), 제6조(결정)를 준용한다.", id="list-of-titles"),
    pytest.param("1. 제5조(신청) 또는 제6조(결정)에 따른 자", id="list-item-with-titles"),
    pytest.param("제5조(신청)는 모든 위원에게 적용한다.", id="title-with-topic-particle"),
]


@pytest.mark.parametrize("line", REFERRED_TO)
def test_a_line_that_opens_with_a_reference_is_no_heading(line: str) -> None:
    articles = read_articles(f"제7조(수당) ① 다음과 같다.\n{line}\n② 둘째 항이다.")

    assert [article.number for article in articles] == [7]
    assert list(articles[0].paragraphs) == [1, 2]


HEADINGS = [
    pytest.param("제7조(수당) 제5조에 따른 수당은 3만 원이다.", id="text-opens-with-a-reference"),
    pytest.param("제7조(수당)이 규칙에서 정한다.", id="text-without-a-space"),
    pytest.param("제7조 수당 지급 기준", id="title-without-brackets"),
    pytest.param("제7조 중간정산", id="title-that-begins-like-a-part"),
    pytest.param("제7조\n① 하나이다.", id="number-alone"),
]


@pytest.mark.parametrize("text", HEADINGS)
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


CUT = [
    pytest.param("③ 셋째 항이다.", id="begins-late"),
    pytest.param("① 하나이다. ② 둘인데…", id="ends-in-an-ellipsis"),
    pytest.param("① 하나이다. ② 다음 각 호와 같다", id="items-do-not-follow"),
]


@pytest.mark.parametrize("text", CUT)
def test_a_cut_article_shows_it(text: str) -> None:
    [article] = read_articles(text, title=(7, 0))

    assert article.cut


SAME_LAW = [
    pytest.param("라마 바사법", "라마바사법", True, id="spacing"),
    pytest.param("라마ㆍ바사법", "라마·바사법", True, id="middle-dots"),
    pytest.param("라마법", "라마법 시행령", False, id="law-and-decree"),
    pytest.param("수상레저법", "수상에서의 레저활동 안전에 관한 법률", True, id="short-name"),
    pytest.param("수상법", "수상에서의 레저활동 안전에 관한 법률", False, id="too-short-a-name"),
    pytest.param("라마바법", "라마사법", False, id="other-law"),
    pytest.param("근기법", "근로기준법", True, id="first-syllables"),
    pytest.param("근기법 시행령", "근로기준법 시행령", True, id="decree-of-a-short-name"),
    pytest.param("주임법", "상가건물 임대차보호법", False, id="short-name-of-another-law"),
    pytest.param("김영란법", "청탁금지법", True, id="two-short-names-of-one-law"),
    pytest.param(
        "남녀고용평등법", "남녀고용평등과 일ㆍ가정 양립 지원에 관한 법률", True, id="dots"
    ),
]


@pytest.mark.parametrize(("one", "other", "same"), SAME_LAW)
def test_tells_names_of_one_law(one: str, other: str, same: bool) -> None:
    assert same_law(law_name(one), law_name(other)) is same
    assert same_law(law_name(other), law_name(one)) is same


DECREE = Source("1", "라마법 시행령 제3조 (절차)", "① 법 제9조제2항에 따른다. ② 별표 2와 같다.")

HELD = [
    pytest.param("제3조제2항", id="set-out"),
    pytest.param("「라마법 시행령」 제3조", id="named"),
    pytest.param("「라마법」 제9조제2항", id="mentioned-of-the-parent-law"),
    pytest.param("법 제9조", id="parent-law-stood-in-for"),
    pytest.param("시행령 제3조제1항", id="by-rank"),
    pytest.param("별표 2", id="table"),
]


@pytest.mark.parametrize("text", HELD)
def test_the_index_holds_what_is_set_out_or_mentioned(text: str) -> None:
    [reference] = read_laws(text)

    assert LawIndex.of([DECREE]).missing(reference) is None


LACKING = [
    pytest.param("제3조제3항", Level.PARAGRAPH, id="paragraph"),
    pytest.param("제3조제2항제1호", Level.ITEM, id="item"),
    pytest.param("제9조제2항", Level.ARTICLE, id="article-of-the-parent-law-only"),
    pytest.param("「라마법」 제3조", Level.ARTICLE, id="article-of-the-decree-only"),
    pytest.param("「바사법」 제3조", Level.LAW, id="law"),
    pytest.param("시행규칙 제3조", Level.DECREE, id="rule"),
    pytest.param("별표 3", Level.ANNEX, id="table"),
    pytest.param("부칙 제3조", Level.ADDENDUM, id="addendum"),
    pytest.param("제1장", Level.CHAPTER, id="chapter"),
]


@pytest.mark.parametrize(("text", "level"), LACKING)
def test_the_index_names_the_level_that_is_missing(text: str, level: Level) -> None:
    [reference] = read_laws(text)
    missing = LawIndex.of([DECREE]).missing(reference)

    assert missing is not None
    assert missing.level is level


def test_a_text_keeps_its_references() -> None:
    text = Text("제7조에 따른다.")

    assert text.laws is text.laws
    assert text.laws == read_laws(text.raw)
