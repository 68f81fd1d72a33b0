"""Morphemes of long texts: at their places, and read in little memory."""

import subprocess
import sys

from guards.korean.morphemes import morphemes

SENTENCE = "회의실은 3층에 있습니다. "
MOST_MORE_MB = 120
READS_A_LONG_LINE = """
import resource
from guards.korean.morphemes import morphemes

def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

morphemes("회의실은 3층에 있습니다.")
before_mb = peak_mb()
count = sum(1 for _ in range(2) if morphemes("가나다 라마바 " * 12_500))
print(peak_mb() - before_mb)
"""


def test_a_line_that_is_too_long_to_be_read_at_once_is_read_between_words() -> None:
    times = 1000
    alone = morphemes(SENTENCE)

    found = morphemes(SENTENCE * times)

    assert len(found) == len(alone) * times
    for place, one in enumerate(found):
        turn, same = divmod(place, len(alone))
        shift = turn * len(SENTENCE)
        expected = alone[same]
        assert one.form == expected.form
        assert (one.start, one.end) == (expected.start + shift, expected.end + shift)


def test_a_long_line_without_a_space_is_read_to_its_end() -> None:
    text = "가" * 10_000

    assert morphemes(text)[-1].end == len(text)


def test_a_long_line_takes_little_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READS_A_LONG_LINE], capture_output=True, text=True, check=True
    )

    assert float(done.stdout) < MOST_MORE_MB
