"""Text that means nothing without what follows: lead-ins of lists, and headings."""

import re

LEAD_IN = re.compile(r"(?:[:：][*_]{0,3}|(?:다음과|아래와)\s?같(?:습니다|아요|다)\.?)\s*$")
HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,60}\*\*:?\s*$)")
