"""What a sentence says that reckons: totals, differences, shares, rates, examples."""

import re

ADDS = re.compile(
    r"(?<![가-힣])총(?!무|장|리|회|학)|합계|합[산쳐치하한해]|더[하해한]|모두|전부|전체|추가|가산|연장|"
    r"할증|포함|함께|따라서|므로|때문|→|늘어|올라|만점|[+][^=\n]{1,60}="
)
"""Something is added up, or concluded."""
TOTALS = re.compile(r"(?<![가-힣])총(?!무|장|리|회|학)|합계|모두|전부")
"""A total."""
TAKES_OFF = re.compile(
    r"차이|차액|저렴|비싸|비싼|비쌉|싸[고며다지]|쌉|절감|절약|아끼|아낄|이득|이익|남은|남는|남습|"
    r"나머지|잔금|잔액|줄|늘어|뺀|빼|공제|제외|제하|초과|넘는|넘은|인상|인하|더[ ]|덜[ ]|할인|감면|"
    r"환불|환급|돌려|넓어|높아|낮아|부터는|따라서"
)
"""Something is taken off, left over or compared."""
AVERAGES = re.compile(r"평균")
"""A mean."""
JOINS = re.compile(r"더[하해]|합[산쳐치하한해]|포함")
"""Two amounts are put together."""
BEYOND = re.compile(r"[을를이가]?[ ]?[*_]{0,2}(?:추가|초과|더[ ]|모자|부족|남)")
"""Right behind an amount: it is what is missing or in excess."""
CONCLUDES = re.compile(
    r"므로|이면|라면|다면|하면|따라서|총[ ]?[*_]*\d|합계|계산|할인|감면|기준|예를[ ]들|예컨대|가령|"
    r"예시|[=×→]|꼴|셈|이용[ ]시|경우|대해"
)
"""A condition or a conclusion: 2명이면, 따라서, the signs of an equation."""
SHARES = re.compile(
    r"할인|감면|할증|가산|추가|공제|위약금|수수료|연체|환불|환급|돌려|인상|인하|예약금|계약금"
)
"""Something is changed by a share, or is one."""
SAYS_SHARE = re.compile(rf"{SHARES.pattern}|분의|절반|%[가-힣]{{0,3}}[,:]?[ ]|[1-9]/[2-9]")
"""A share, in words or in percent."""
MORE = re.compile(r"할증|가산|추가|인상|증가|오르|오른|올라|더해|붙")
"""A share comes on top."""
PART = re.compile(r"(?<![\d/.])(?P<part>\d)/(?P<whole>[2-9])(?![\d/])")
"""A fraction with a slash."""
HALF = re.compile(r"절반|반값")
"""A half, in words."""
PER_ONE = re.compile(
    r"(?:(?:시간|회|인|명|일|박|건|개|장|매|대|잔|병|권|평|실|팀|주|월|k?g|m[23]|분)[ ]?당|"
    r"하루에?|매일|마다|1(?:[인명일박회개장매]|시간)|[×xX])[ ]?[*_]*$"
)
"""Right before an amount: it is for one of something, or a factor."""
PER_BEFORE = re.compile(rf"{PER_ONE.pattern}|(?:한[ ]달에?|매?월)[ ]?[*_]*$")
"""The same, or for a month."""
PER_AFTER = re.compile(r"[*_]*(?:씩|[ ]?꼴|인[ ]셈|[ ]?[×xX])")
"""The same, right behind an amount."""
PER_UNIT = re.compile(r"\d[ ]?[가-힣A-Za-z㎞㎏]{1,4}(?:당|마다|씩)|하루")
"""A price for each of some units: 30분당, 5km마다."""
EXAMPLE = re.compile(r"예를[ ]?들|예컨대|가령|예시|만약|만일")
"""An example begins."""
ASSUMED = re.compile(r"[^.,\n]{0,14}(?:다면|라면|이면|하면|으면|때)")
"""Right behind a figure: it is assumed."""
SUPPOSED = re.compile(r"[^.,\n]{0,14}(?:다면|라면)")
"""The same, and not said to be so (10일이 지났다면)."""
ONE_PERIOD = re.compile(r"1[ ]?(?:년|개월|달|주일?|일)$")
"""One unit of time."""
IF = re.compile(r"이?면[ ]|으로[ ]치면|치[ ]")
"""Right behind a unit of time: as if it were that long (1년이면)."""
DAY_AFTER = re.compile(r"다음[ ]?날|이튿날|익일|다음[ ]?영업일|전날|하루[ ](?:전|뒤|후)")
"""The day after another, or before it."""
