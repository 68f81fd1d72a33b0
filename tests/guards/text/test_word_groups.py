from guards.scope import WordGroups

HOUSES = WordGroups({"강릉": ("윤슬", "Yunseul"), "속초": ("윤슬 속초",)}, begin_words=True)
SUBJECTS = WordGroups({"rooms": ("객실",), "dining": ("조식",)}, begin_words=False)


def test_the_longest_word_counts() -> None:
    assert HOUSES.within("윤슬속초는 어디인가요") == {"속초"}
    assert HOUSES.within("YUNSEUL과 윤슬 속초") == {"강릉", "속초"}


def test_a_name_begins_a_word() -> None:
    assert HOUSES.within("은윤슬") == frozenset()


def test_a_subject_may_stand_inside_a_compound() -> None:
    text = "가족객실 요금"

    [mention] = SUBJECTS.mentions(text)

    assert (mention.group, text[mention.start : mention.end]) == ("rooms", "객실")


def test_no_groups_find_nothing() -> None:
    assert WordGroups({}, begin_words=True).within("윤슬") == frozenset()
