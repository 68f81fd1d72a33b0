import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from guards.text.morph import LONGEST_SENTENCE_CHARS, Kind, MorphReader


@pytest.fixture(scope="module")
def reader() -> MorphReader:
    return MorphReader.open()


def lemmas(reader: MorphReader, sentence: str, *kinds: Kind) -> set[str]:
    found = reader.content_morphemes(sentence)
    return {one.lemma for one in found if not kinds or one.kind in kinds}


SAME = [
    pytest.param("책을 사 오셔야 해요", "책을 사 와야 한다", id="two-verbs-in-a-row"),
    pytest.param("방이 어두워요", "어두운 방", id="irregular-adjective"),
    pytest.param("짐을 날랐어요", "짐을 나르는", id="irregular-verb"),
    pytest.param("환불규정을 읽는다", "환불 규정을 읽고", id="compound-without-space"),
    pytest.param("결과를 알려드려요", "결과를 알려 드립니다", id="helping-verb-joined"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_forms_of_the_same_words_meet(reader: MorphReader, one: str, other: str) -> None:
    assert lemmas(reader, one) == lemmas(reader, other) != set()


def test_particles_endings_and_empty_verbs_are_left_out(reader: MorphReader) -> None:
    assert lemmas(reader, "회원은 도서관에서 책을 빌릴 수 있게 됩니다.") == {
        "회원",
        "도서관",
        "책",
        "빌리다",
    }


def test_kinds_tell_things_from_what_is_said_of_them(reader: MorphReader) -> None:
    sentence = "VIP 회원 3명은 식사를 예약하지 않았다."

    assert lemmas(reader, sentence, Kind.THING) == {"vip", "회원", "3", "식사"}
    assert lemmas(reader, sentence, Kind.PREDICATE) == {"예약"}
    assert lemmas(reader, sentence, Kind.NEGATION) == {"않다"}


def test_nothing_is_told_about_what_is_no_sentence(reader: MorphReader) -> None:
    assert reader.content_morphemes("") == ()
    assert reader.content_morphemes("책" * (LONGEST_SENTENCE_CHARS + 1)) == ()
    assert reader.content_morphemes("책" * LONGEST_SENTENCE_CHARS) != ()


def test_one_reader_serves_the_process_and_all_its_threads(reader: MorphReader) -> None:
    sentences = [f"{number}번 창구에서 접수합니다." for number in range(40)]
    alone = [reader.content_morphemes(sentence) for sentence in sentences]

    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(lambda _: MorphReader.open(), range(8)))
        together = list(threads.map(reader.source_morphemes, sentences))

    assert all(one is reader for one in opened)
    assert together == alone


def test_a_claim_is_not_kept(reader: MorphReader) -> None:
    before = reader.source_morphemes.cache_info().currsize

    reader.content_morphemes("아무도 묻지 않은 문장입니다.")

    assert reader.source_morphemes.cache_info().currsize == before


WITHOUT_KIWI = "import sys; sys.modules['kiwipiepy'] = None\n"


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    said = python(
        "import sys, guards.text.morph, policies.loader\n"
        "policies.loader.load_shipped('default')\n"
        "print('kiwipiepy' in sys.modules)"
    )

    assert said == "False"


def test_without_the_extra_opening_says_what_to_install() -> None:
    said = python(
        WITHOUT_KIWI + "from guards.core.errors import MorphMissing\n"
        "from guards.text.morph import MorphReader\n"
        "try: MorphReader.open()\n"
        "except MorphMissing as error: print(error)"
    )

    assert "pip install 'guard-proxy[morph]'" in said


def python(code: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return run.stdout.strip()
