"""Words that make a statement an estimate or a guess.

Source: our own list. Licence: that of the project.
"""

# Before a figure, with at most a few words between: 보통 20분, 예상 요금은 2만원.
FIGURE_HEDGES = (
    "약",
    "대략",
    "얼추",
    "어림잡아",
    "줄잡아",
    "거의",
    "보통",
    "평균",
    "평균적으로",
    "통상",
    "대개",
    "일반적으로",
    "예상",
    "추정",
    "아마",
    "아마도",
)

# With these a number of minutes or kilometres is an estimate even where no word says so.
TRAVEL_MODES = (
    "도보",
    "걸어서",
    "걸어",
    "차로",
    "차량",
    "자동차",
    "자가용",
    "승용차",
    "택시",
    "버스",
    "지하철",
    "자전거",
)

# Guessing in words alone.
GUESSING_WORDS = (
    "일반적으로",
    "보통",
    "아마",
    "아마도",
    "대체로",
    "대개",
    "통상적으로",
    "제 생각에는",
    "제 생각엔",
    "제가 알기로는",
    "추측컨대",
    "추측건대",
    "추정컨대",
    "짐작건대",
)
GUESSING_ENDINGS = (
    "할 수도 있습니다",
    "될 수도 있습니다",
    "일 수도 있습니다",
    "있을 수도 있습니다",
    "않을 수도 있습니다",
    "할 수도 있어요",
    "일 수도 있어요",
    "것 같습니다",
    "것 같아요",
    "것으로 보입니다",
    "것으로 추정됩니다",
    "것으로 예상됩니다",
    "듯합니다",
)
