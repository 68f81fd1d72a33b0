"""Railway lines that go by a name instead of a number.

Source: our own list of public names. Licence: that of the project.
"""

NAMED_LINES = tuple(
    """
    신분당선 수인분당선 분당선 수인선 경의중앙선 경의선 중앙선 경춘선 경강선 서해선 경인선
    경부선 호남선 전라선 영동선 장항선 동해선 대경선 신림선 우이신설선 공항철도 공항선
    인천공항철도 김포골드라인 에버라인 용인경전철 의정부경전철 부산김해경전철
    """.split()
)
