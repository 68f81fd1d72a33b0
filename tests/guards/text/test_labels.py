import pytest

from guards.core.reading import Text
from guards.text.figure_values import figures_in
from guards.text.labels import Labelled, Labels


def labels_of(text: Text) -> list[Labelled]:
    labels = text.once(Labels)
    return [labels.at(figure.quantity.start) for figure in figures_in(text)]


LABELS = [
    pytest.param(
        "조식은 성인 30,000원, 어린이는 15,000원", ["조식 성인", "어린이"], id="noun-before"
    ),
    pytest.param("평일 09:00~18:00, 주말 10:00~17:00", ["평일"] * 2 + ["주말"] * 2, id="ranges"),
    pytest.param("10일의 연차휴가와 3일의 병가", ["연차휴가", "병가"], id="noun-behind"),
    pytest.param("30,000원(성인), 15,000원(청소년)", ["성인", "청소년"], id="in-brackets"),
    pytest.param("- 성인: 30,000원\n- 청소년: 15,000원", ["성인", "청소년"], id="list-lines"),
    pytest.param(
        "| 구분 | 주중 | 주말 |\n|---|---|---|\n| 성인 | 3만원 | 4만원 |",
        ["주중 성인", "주말 성인"],
        id="row-and-column",
    ),
    pytest.param("구분\t요금\n성인\t3만원\n청소년\t2만원", ["요금 성인", "요금 청소년"], id="tabs"),
    pytest.param("접수하고 7일 안에 낸다", [""], id="clause-before-says-nothing"),
]


@pytest.mark.parametrize(("raw", "labels"), LABELS)
def test_values_have_labels(raw: str, labels: list[str]) -> None:
    found = labels_of(Text(raw))

    assert len(found) == len(labels)
    for one, label in zip(found, labels, strict=True):
        words = label.split()
        assert len(one.words) == len(words)
        assert all(word in form for word, form in zip(words, one.words, strict=True))


def test_rows_of_one_table_are_a_group_and_sentences_are_not() -> None:
    text = Text(
        "| 구분 | 요금 |\n| 성인 | 3만원 |\n| 청소년 | 2만원 |\n성인은 3만원. 청소년은 2만원."
    )
    first, second, third, fourth = labels_of(text)

    assert first.group == second.group
    assert len({first.group, third.group, fourth.group}) == 3
    assert third.alone
