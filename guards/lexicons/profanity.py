"""Korean swear words and insults, as words and patterns over text whose syllables are joined.

Roots are written once for every syllable with the spellings that sound alike. The words are also
meant broken up and drawn out (`guards.text.disguise`); other patterns are of words with a syllable
cut down to its first consonant, masked, or written with digits (``시ㅂ``, ``ㅂ신``, ``씨X``).

Source: our own list, from the general knowledge of the language. Licence: the project's own.
"""

from collections.abc import Iterator
from itertools import product

from guards.text.hangul import initial_of

# One syllable after another, each with its spellings. Whatever stands around them, they swear.
_ROOTS_ANYWHERE = """
씨씌쒸쓔 발팔빨벌뻘펄밸
씨씹십쓰씌 부브 랄럴렬
씹십씁씸 새쌔섀쉐세 끼키
씹씁씸쌍썅쌉 년놈넘뇬
씹 창덕색쌕
십쓉 쌔섀 끼키
개게걔깨 새쌔섀쉐 끼키기
개게걔캐 색섹쉑시 히끼키
호후 로레루 새자쉐쉑 끼식
미믜 친췬틴튄띤 놈년넘롬뇬눔새
개 년놈넘뇬눔
지쥐즤찌 랄럴롤
좆좃졷죶좇
새쌔쉐색 꺄갸
시씨쓰 벨빌 롬놈럼
느니너 금 마
느니 개애에기 미비
닝닌니 기 미
또똘 라아 이
빡돌닭새 대 가 리
"""
# The same, but they may be one word's end and the next one's beginning.
_ROOTS_AT_WORD_START = """
시싀쉬슈쓰스띠 발팔벌빨뻘펄밸
시쉬씨쓰 바빠파
씨쉬쓰 방
시씨쉬 댕뎅
시씨 부브불 럴랄렁
씨시 봉 알
병븅뷩빙벙뱅볭벵 신쉰싄씬싱띤닥딱
미믜 틴튄띤
새쌔쉐섀세시 끼키 야
쌔섀쉐 끼키
색쌕 끼키히
조좃졷 또빱깟
십씹씝 알
개 쉐새 이리
존좃 만니 한
"""
_ANYWHERE = """
씹할 씹지랄 개자식 개잡놈 개씹 호로새끼 호로자식 후레자식 옘병 거지새끼 그지새끼 벌레새끼
쓰레기새끼 돼지새끼 간나새끼 애새끼 육시랄 니엄마 느그엄마 느그애미 느그아빠 정신병자야 염병할
젠장맞을 엠창 앰창
골빈놈 골빈년 개지랄 개병신 개보지 보지년 자지새끼 좆까 씨댕
사람새끼냐 인간새끼냐 혀깨물고
"""
_AT_WORD_START = """
씨불 등신 머저리 얼간이 멍청이 멍충이 멍텅구리 썅 쌍판 우라질 오라질 애미 니미 상놈 대갈통 뻐큐 빠큐
뻑큐 퍽큐 퍼큐 존나게 찐따 찌질이 쪼다 육갑 염병 개같 개떡같 좆같 족같 미쳤냐 미쳤니 미쳤나 돌았냐
돌았니
돌았나 꼴통 이새끼 저새끼 그새끼 새끼들아 쉑 색기야 색기들 이년아 이놈아 놈아 년아 개소리 개수작
개짓거리
개짓 개새기 개쓰레기 개차반 개망나니 양아치 개양아치 창녀 창년 화냥년 잡년 잡놈 걸레년 개걸레 갈보
미친개
썩을놈 썩을년 썩을것 망할놈 망할년 빌어먹을놈 죽일놈 씹새 씨방새 잡것들
엿먹어 엿이나먹 엿먹어라 엿이나먹어 엿이나먹어라 엿드세요 종간나
정신병자 정박아
저능아 지진아 똘추 돌추 호구새끼 인간말종 말종 쓰레기놈 개돼지 쌍놈의새끼 앰생 엠생 앰뒤 애비없는
애미없는
애미없냐 애비없냐 육변기 빠가 빠가사리 짱깨 짱꼴라 쪽바리 쪽발이 틀딱 꼴페미 한남충 김치녀 된장녀
맘충 급식충
일베충 설명충 진지충 똥꼬충 깜둥이 개독 후장 뒤질래 디질래 뒤지고싶냐 죽을래 주글래 주둥아리 주둥이
아가리 써글놈 써글년 조찐 짜식아 제기랄놈 좆도 좃도 ㅈ도 개새야 개색야 젠장할 처맞을래 처돌았냐 처먹
"""
_ORDERS = """
닥쳐 닥처 닥치 닥쵸 닭쳐 꺼져 꺼저 꺼지 껴져 뒤져라 뒤지세 뒤져버려 디져라 디져 뒈져라 뒈져 뒤져
뒤저 조까 족까 죽어
좃까 좆까 죽어라 죽어버려 나가죽어 아닥
"""
_INITIALS_ONLY = """
ㅆㅂ ㅅㅂ ㅂㅅ ㅄ ㅈㄹ ㅁㅊ ㄱㅅㄲ ㅅㄲ ㄷㅊ ㄲㅈ ㅈㄲ ㅈ같 ㅈ까 ㅅㅂㄹㅁ ㅁㅊㄴ ㅂㅅㅅㄲ
ㄴㄱㅁ ㅇㅍㅊㅌ ㅅㅂㄴ ㅆㅂㄴ ㅆㄴ
ㅆㄹㄱ ㄷㅈㄹ ㅈㄹㄴ ㅄㅅㄲ 개ㅅㄲ 개ㅅㅂ 개새ㄲ 개ㅅ끼
"""
_HALF_CUT = "씨발 시발 씨팔 시팔 씨벌 병신 븅신 새끼 개새 지랄 미친 닥쳐 꺼져 좆같 또라이"
_LATIN = """
fuck fucking fucker fuckyou motherfucker shit bullshit bitch asshole bastard dumbass dickhead wtf
stfu gtfo
rjwu ssibal sibal shibal ssival byungsin byeongsin gaesaekki jiral
"""


def _spelled(roots: str) -> Iterator[str]:
    """Yield every spelling of the roots, one root a line."""
    for root in roots.split("\n"):
        if root:
            yield from map("".join, product(*root.split()))


def _half_cut(words: str) -> Iterator[str]:
    """Yield words of two syllables with one of them cut down to its first consonant."""
    for word in words.split():
        yield word[0] + initial_of(word[1]) + word[2:]
        yield initial_of(word[0]) + word[1:]


ANYWHERE = (*_spelled(_ROOTS_ANYWHERE), *_ANYWHERE.split())
"""Words that swear whatever stands before them."""
AT_WORD_START = (*_spelled(_ROOTS_AT_WORD_START), *_AT_WORD_START.split())
"""Words that swear where a word begins."""
CUT_DOWN = (*_INITIALS_ONLY.split(), *_half_cut(_HALF_CUT))
"""Words of which only consonants are left, or a consonant and a syllable."""
MAD = ("미친",)
"""Swears as an attribute; it also is a plain verb."""
ORDERS = tuple(_ORDERS.split())
"""Orders to be silent or to go, without their endings."""

# Particles, endings and the nouns that a swear word builds compounds with. A content noun, such as
# 역 in 시발역, has other syllables, so the word does not end where the pattern wants it to.
SUFFIX = (
    "[놈롬년뇬눔련럼넘새색쉐쌔끼기키들것거같은는네냐니이인임아야가하지다요마고더럽만또진짜왜]{0,6}"
    r"(?:\s같은)?(?:\s(?:새끼|쌔끼|쉐끼|자식|놈|년)(?:야|아|들아|들|이|네|같은)?(?![가-힣]))?"
)
WORD_END = r"(?![가-힣])"
# Written together with what follows them.
_SIGHS = "(?:아니|야이|아오|아|야|와|하|어휴|에휴|참나|헐|에이|이씨|이|개|존나|진짜|좀|걍|그냥)"
WORD_START = rf"(?<![가-힣]){_SIGHS}{{0,2}}"
"""Where a word begins, with the sighs written together with it."""
INTENSIFIER = "[개씹십쌍좆핵왕생]?"
"""What is joined to the front of a swear word."""
BEFORE_CUT_DOWN = rf"(?<![ㄱ-ㅎ가-힣]){_SIGHS}{{0,2}}"
BEHIND_CUT_DOWN = rf"{SUFFIX}{WORD_END}(?![ㄱ-ㅊㅌㅍ])"
# 미친 is a plain verb after 에/까지 (환경에 미친 영향).
BEFORE_MAD = r"(?<![가-힣])(?<!에 )(?<!지 )"
BEHIND_MAD = rf"(?:거)?{WORD_END}(?!\s*(?:영향|효과|결과|여파|파급|파장|듯))"
# 꺼져 있다 and 닥쳐오다 are ordinary verbs.
BEFORE_ORDER = rf"{WORD_START}(?:(?:입|아가리|주둥이|주둥아리|나가)\s?)?"
BEHIND_ORDER = (
    r"(?:라|라고|요|세요|줘|줄래|쇼|고|좀|시지|시죠|버려|버려라|냐|어{1,4})?(?:진짜|참|하|에휴|이씨|아씨)?(?![가-힣])"
    r"(?!\s*(?:있|가는|가고|버리|버렸|나가|들어|내|보|봐|봤|봐야|오))"
)
# In front of an order to go or to be silent: what is called names, and what drives it on.
INSULTS = (
    r"(?<![가-힣])(?:(?:똥|개|완전)?(?:멍청|한심|무식|무능|답답|미련|아둔|우둔|뻔뻔|모자란|구질구질)(?:한|하고|하기)?"
    r"|(?:쓸모|쓸데|형편|재수|싸가지|예의|개념|눈치|양심)\s?없는|덜떨어진|덜\s떨어진|못된|건방진|시끄러운"
    r"|지긋지긋한|짜증\s?나는|귀찮은|(?:바보|쓰레기|깡통|고물|거지|등신|머저리|천치)\s?같은)(?=\s)"
    r"|(?<![가-힣])(?:똥|개)?(?:바보|천치|멍청이|멍충이|멍텅구리|돌대가리|돌머리|밥통|깡통|고물|고철|쓰레기|머저리|얼간이)"
    r"(?:야|아|들아|녀석아)(?![가-힣])|(?<![가-힣])(?:멍청아|멍충아|것아|것들아|녀석아|자식아)(?![가-힣])"
    r"|(?<![가-힣])(?:저리로?|썩|당장|빨리|얼른|어서|그만|이만)(?![가-힣])"
    r"|(?<![가-힣])(?:(?:할\s?말|대?답|답변|아는\s?것?)(?:이|도)?\s?없으면|모르겠?으?면|(?:대?답|답변|말)(?:도)?\s?못\s?하면)(?![가-힣])"
)
# A thing that goes out, of itself or over and over, is not told to go: 기계가 자꾸 꺼져.
GOES_OUT = (
    r"(?<![가-힣])(?:자꾸|계속|또|저절로|갑자기|혼자|스스로|왜|맨날|매번|금방)(?![가-힣])"
    r"|(?<=[가-힣])(?:(?<![니네])가|(?<![에어아])이)\s"
)
# In place of the second syllable of 씨발, and what stands for the whole of it.
_LIKE_BAL = r"(?<![가-힣A-Za-z])[시씨씹쒸슈]\s?(?:[bv]al|bar)(?![a-z])"
_EIGHTEEN = "(?:18|십팔|씹팔)"

HARMLESS = (
    r"씨\s?발아(?=\s?(?:조건|시기|율|온도|기간|방법|과정|실험|적온))|"
    r"시발(?:점|역|지|비용|택시|자동차|차|이라는\s?자동차)|병신(?:년(?!아|들|이[야네])|월|일주)|지랄(?:탄|까|지\b)"
    r"|(?:날|글|솜|말|불|맵|마음|아저)씨\s?(?=[발벌팔바불빨])|시바(?:견|이누|신)|시벌\s?나무|병\s+신(?=[고청규체경])|쓰바루|슈바이"
    r"|새끼(?:손|발|줄|돼지|고양|강아지)|염병(?:이|을|은|에)|양아치(?:\s?영화)|등신(?:대|불)|개소리를?\s녹음"
    r"|후장(?:거래|에)|족발|빠가(?:사리\s?(?:매운탕|낚시|찜))"
    r"|거시기|씨불알|창녀촌|씨바이오"
)
UNSPELLED = (
    r"(?<![가-힣0-9])(?:씨|시|ㅆ|ㅅ|십|씹)8(?![0-9가-힣])"
    # The rest is masked: 씨X, 시*, 병**, X발.
    r"|(?<![가-힣0-9])(?:씨|시|씹|ㅆ|ㅅ|병|개|지|좆|ㅂ)(?:[*○×]{1,3}|[xX]{1,2}(?![a-zA-Z]))(?:놈|년|끼|새끼)?"
    rf"(?:아|야|들|들아)?{WORD_END}"
    rf"|(?<![가-힣A-Za-z0-9])[*○×xX]발{SUFFIX}{WORD_END}"
    # Whatever stands before: nobody else is called so.
    r"|(?<![가-힣])(?!(?:소|청|중|노|유|장|학|미성)년)[가-힣]{1,6}(?:놈|년|뇬|넘|새끼|쌔끼|새키|새퀴|쉐끼)(?:아|들아|야)(?![가-힣])"
    # The number that sounds like 씨발, as no number is used.
    r"|(?<![\d가-힣])(?:18|십팔|씹팔|10|씨8|시8|십8)(?:놈|년아|새끼|새키|쌔끼|쉐끼|색끼|색|넘|럼|롬|뇬|창)(?:아|야|들아|들)?(?![가-힣])"
    rf"|(?<![가-힣])(?:에이|야|아|이런)\s{_EIGHTEEN}(?![\w.,:])|(?<![\d.,:가-힣]){_EIGHTEEN}\s진짜(?!\s*\w)"
    rf"|(?i:(?<![a-z])(?:f[\W_]u[\W_]c[\W_]k|{'|'.join(_LATIN.split())})(?:\s(?:you|u|off|up))?(?![a-z])|{_LIKE_BAL})"
    r"|凸|(?<![ㄱ-ㅣ가-힣A-Za-z0-9])ㅗ{1,9}(?![ㄱ-ㅣ가-힣])"
)
"""A pattern for what is not spelled out in syllables."""
# What may follow a swear word that is mentioned, not used.
MENTIONED = (
    r"[\"'’”」』)]*\s*(?:이?라[고는며니던]|이?란\s?(?:말|욕|단어|표현)|같은\s?(?:말|욕|표현|단어|비속어)"
    r"|등의?\s?(?:말|욕|표현|단어|비속어)|은\s?욕|는\s?욕|도\s?욕|이\s?욕|가\s?욕|의?\s?(?:뜻|어원|의미)"
    r"|(?:이|가|은|는)?\s?(?:무슨|어떤)\s?(?:뜻|말|욕|의미))"
)
# What is said of a swear word that stands as a noun: 지랄도 정도껏 해라, 개소리 하고 있네.
LIGHT_VERBS = """
(도|만|은|을|이|좀)? (정도껏|작작|적당히|그만|좀|또|자꾸|계속)?
({하}|{떨}|{부리}|{치}|{되}|{같}|{먹}|{싸}|{까}|{맞}|{닫}|{다물}|{놀리}|{털}|{자빠지}|\
하고자빠지|하고앉|{이}|인가|인듯) ~
"""
