"""Korean swear words and insults, as patterns over text whose syllables are joined.

Source: our own list, from the general knowledge of the language. Licence: the project's own.
"""

from guards.text.hangul import disguised

# Words that mean nothing else, wherever in a word they stand (왜몰라씨발).
_ANYWHERE = """
씨발 씨팔 씨빨 씨벌 씨부랄 씨부럴 씌발 씌팔 쓰벌 쒸발 쒸팔 씹새 씹쌔 씹색 씹년 씹놈 씹창
십새끼 십쌔끼 십쌔 십지랄 십할놈 개새끼 개색끼 개색기 개색히 개쌔끼 개쉐끼 개섀끼 개쉑 개자식
개잡놈 개씹 호로새끼 호로자식 후레자식 미친새끼 미친놈 미친년 미친넘 미친색끼 미친색기 쌍놈
쌍년 썅놈 썅년 지랄 쥐랄 옘병 거지새끼 그지새끼 벌레새끼 쓰레기새끼 돼지새끼 간나새끼 애새끼
육시랄 니엄마 좆밥 개좆 지랄발광 후레아들 정신병자야 븅신 뷩신 병쉰 또라이 똘아이 돌아이새끼
좆 느금마 느금 니애미 니에미 니미럴 니기미 엠창 빡대가리 돌대가리 골빈놈 개지랄 개병신 개씨발
"""
# Words that may be the end of one word and the beginning of the next, or have a second meaning.
_AT_WORD_START = """
시발 시팔 시벌 시부랄 시부럴 슈발 쉬발 쉬팔 싀발 시바 씨바 씨불 씨댕 병신 빙신 벙신 등신
머저리 얼간이 멍청이 썅 우라질 오라질 애미 니미 상놈 씹덕 대갈통 뻐큐 빠큐 뻑큐 존나게 찐따
쪼다 육갑 염병 개같 개떡같 미쳤냐 미쳤니 미쳤나 돌았냐 돌았니 돌았나 꼴통 이새끼 저새끼 그새끼
새끼야 새끼들아 쌔끼 쉐끼 섀끼 쉑 색끼 색기야 색기들 이년아 이놈아 놈아 년아 개소리 개수작
개짓거리 개새기 새대가리 닭대가리 창년 화냥년 잡년 걸레년 개걸레 미친개 썩을놈 썩을년 망할놈
망할년 빌어먹을놈 죽일놈 씹할 씨방새 잡것들 엿먹어 엿이나먹 종간나 개놈아 정신병자 쌍놈의새끼
"""
_ORDERS = "닥쳐 닥처 닥치 닥쵸 꺼져 꺼저 꺼지 뒤져라 뒤지세 디져라 뒈져라 뒈져 조까 족까 좃까 아닥"
_INITIALS_ONLY = """
ㅆㅂ ㅅㅂ ㅂㅅ ㅄ ㅈㄹ ㅁㅊ ㄱㅅㄲ ㅅㄲ ㄷㅊ ㄲㅈ ㅈㄲ ㅈ같 ㅈ까 ㅗㅗ ㅅㅂㄹㅁ ㅁㅊㄴ ㅂㅅㅅㄲ
"""

# Particles, endings and the nouns that a swear word builds compounds with. A content noun, such as
# 역 in 시발역, has other syllables, so the word does not end where the pattern wants it to.
_SUFFIX = "[놈롬년련럼넘새색쉐쌔끼기키들것같은는네냐니이임아야가하지마고더럽거만또진짜왜]{0,6}"
_WORD_END = r"(?![가-힣])"

PROFANITY = (
    rf"(?:{disguised(_ANYWHERE.split())}){_SUFFIX}"
    rf"|(?<![가-힣])(?:아|야|와|하|이|개|에이|존나|진짜)?"
    rf"(?:{disguised(_AT_WORD_START.split())}){_SUFFIX}{_WORD_END}"
    rf"|(?<![ㄱ-ㅎ가-힣])(?:{'|'.join(_INITIALS_ONLY.split())})(?:{_SUFFIX}{_WORD_END})(?![ㄱ-ㅎ])"
    # Typed with the keyboard set to Latin: 시발, 씨발, 병신, 지랄, 꺼져, 닥쳐.
    r"|(?i:(?<![a-z])(?:tlqkf|qudtls|wlfkf|rjwu|ekrcu)(?![a-z]))"
    # 미친 is a plain verb after 에/까지 (환경에 미친 영향).
    rf"|(?<![가-힣])(?<!에 )(?<!지 ){disguised(['미친'])}(?:거)?{_WORD_END}"
    r"(?!\s*(?:영향|효과|결과|여파|파급|파장))"
)
# Orders to be silent or to go. 꺼져 있다 and 닥쳐오다 are ordinary verbs.
ORDERS = (
    rf"(?<![가-힣])(?:아|야|좀|걍|그냥)?(?:(?:입|아가리|주둥이|나가)\s?)?(?:{disguised(_ORDERS.split())})"
    r"(?:라|라고|요|세요|줘|줄래|쇼|고|좀|시지|시죠|버려|냐)?(?![가-힣])"
    r"(?!\s*(?:있|가는|가고|버리|버렸|나가|들어|내|보|오))"
)
# What may follow a swear word that is mentioned, not used.
MENTIONED = (
    r"[\"'’”」』)]*\s*(?:이?라[고는며니던]|이?란\s?(?:말|욕|단어|표현)|같은\s?(?:말|욕|표현|단어|비속어)"
    r"|등의?\s?(?:말|욕|표현|단어|비속어)|은\s?욕|는\s?욕|도\s?욕|이\s?욕|가\s?욕|의?\s?(?:뜻|어원|의미))"
)
