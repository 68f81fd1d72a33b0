"""Whom a Korean message speaks to and of: words for the bot, its answers, others, and for asking.

Source: our own list, from the general knowledge of the language. Licence: the project's own.
"""

YOU = "너네 니네 너희 너 넌 널 니가 네가 니 당신 자네 그쪽 얘"
BOT = """
챗봇 쳇봇 채팅봇 상담봇 안내봇 봇 로봇 로보트 챗gpt gpt 지피티 챗지피티 ai 에이아이 인공지능 비서
기계 깡통 알파고
"""
ANSWER = "답변 대답 답 설명 말 소리 응답 안내 검색결과 검색 상담 서비스"
PARTICLES = """
은 는 이 가 을 를 도 만 의 한테 에게 랑 하고 이랑 아 야 님 들 들아 이라는게 라는게 이란게 란게
이라고 라고 에 에는 때문에 조차 같은거 같은게 놈아
"""
# Points at what is under discussion without naming anything else.
POINTERS = """
이 그 저 이런 그런 저런 이딴 그딴 저딴 이따위 그따위 이거 이건 이게 이걸 이것 그거 그건 그게 여기
여기는 여긴
이런거 이런게 이딴거 이딴게 그것도 이것도 나한테 저한테 같은 주제에
하네 하냐 하니 하지마 하지마라 하고있네 떨지마 떨고있네 같네 같다 같아
"""
SIGHS = """
아 아아 아오 아우 아이고 아니 아놔 아나 야 야야 와 우와 허 헐 헉 하 하아 휴 휴우 후 후우 어휴 에휴
에효 어우 으휴 으
에이 에이씨 아씨 이씨 아이씨 씨 참 참나 참내 나참 거참 쯧쯧 쯧 쳇 흥 에잇 에라이 에라 으이구
어이구 아휴 하참 허참
진짜 진짜로 진심 도대체 대체 당최 도통 젠장 제기랄 빌어먹을 우씨 나원참 원 하이고 아유 에구 존나
졸라 조낸
"""
ADVERBS = """
너무 완전 개 겁나 엄청 매우 아주 무지 더럽게 드럽게 몹시 심하게 굉장히 상당히 하나도 전혀 1도 일도
아예 절대
정말 정말로 레알 정말이지 왜이렇게 왜이리 왤케 왜케 왜 이렇게 이리 이렇게까지 어쩜 또 또또 또다시
맨날 매번 매일 계속
자꾸 항상 번번이 늘 여전히 다 죄다 싹다 전부 영 좀 쫌 제발 그냥 걍 지금 이제 아직도 오늘도 역시
역시나 뭐 뭘 그래
저기 저기요 이봐 이봐요 이보세요 여보세요 솔직히 무슨 뭔 인간적으로 어이 아무튼 하여튼 음 흠 오 어
응 그러니까
근데 그런데 그리고 그럼 퍽이나 참으로 죄송하지만 실례지만 차라리 넘 별 고작 겨우 기껏 아무짝에도
눈곱만큼도 손톱만큼도 털끝만큼도 요만큼도
"""
# Adverbs that may stand between any two words of a sentence and change nothing but its force.
EMPHASIS = """
진짜 진짜로 정말 정말로 너무 너무너무 참 좀 쫌 아주 완전 도대체 대체 도저히 도무지 전혀 아예 그냥 걍
막 되게 엄청 겁나
존나 졸라 조낸 무지 매우 굉장히 상당히 정말이지 솔직히 대단히 심히 어찌나 영 당최 도통 참으로 레알
개 더럽게 진심 증말 진쨔 찐으로
"""
# Taken off the end of a sentence; shorter sighs cannot be told from endings there.
AFTERTHOUGHTS = """
진짜 진심 정말 증말 이씨 아씨 에휴 어휴 참나 젠장 좀 제발 이거 이게 이건 그냥 너무 계속 자꾸 맨날
나한테 지금 그래 그래서 참 하 흠 헐 쯧 이것도 왜이렇게
이렇게 도대체 대체 뭐 이놈아 인마 임마 이사람아
"""
# Nouns whose syllables are those of endings: 짜증나 게임 졌어 is no form of 짜증나다.
ENDING_LIKE_NOUNS = """
게임 거래 나이 다리 이사 여름 거리 자리 도시 의자 이자 하루 여자 요리 이름 오이 우유 지진 이별
의사 시장 고기
"""
# How often, in front of what is done over and over.
AGAIN = """
또 또또 또다시 계속 자꾸 매번 맨날 매일 번번이 항상 늘 아까부터 하루종일 처음부터끝까지 아직도
여전히
몇번이나 몇번을 몇번째 두번째 세번째 네번째 다섯번째 세번다 열번째 수십번 백번 백날 천날 몇시간째
몇분째 한시간째
허구헌날 허구한날 시종일관 그때그때 물어볼때마다 볼때마다 말할때마다 할때마다 이용할때마다 쓸때마다
"""
WHY = """
왜 왜이렇게 왜이리 왤케 왜케 왜그렇게 왜자꾸 왜또 왜계속 왜맨날 왜매번 어째서 어째 어쩜
어떻게된게 어떻게
"""
# Of an answer or a bot, whichever is the matter of the talk.
QUALITY = """
수준 퀄리티 퀄 품질 성능 실력 상태 능력 지능 응대 태도 말투 매너 정확도 성의 내용 결과 정보 질
꼬라지 꼬락서니
"""
# Words that show a sentence to be about the talk, wherever they stand.
TALK = "답변 대답 질문 말귀 이해 챗봇 설명 알아듣 알아들 물어 물었"
# Objects and onlookers that leave it open who is complained of.
MATTERS = """
제말 내말 제질문 내질문 질문 물음 제가한질문 내가한질문 나한테 저한테 내게 제게 사람을 고객을
고객한테
시간 이답변 이용자를 사용자를 처음 이번 이번에 오늘 지금까지 하는말마다
"""
# Who else may be meant.
THIRD_PERSON = r"""
걔 쟤 그놈 그년 저놈 그사람 저사람 그분 저분 그녀 남편 아내 와이프 마누라 엄마 아빠 어머니 아버지
친구 여친 남친
여자 남자 상사 부장 팀장 과장 차장 대리 사수 선배 후배 동료 직원 손님 애들 애가
아이(?=가|는|들|를|도|한테|랑|의|와|에게|$) (?<!알)아들
딸(?=이|은|아이) 오빠 누나 언니 동생 교수 선생 사장 대표 이웃 윗집 옆집 아랫집 아저씨 아줌마 애인
짝남 짝녀 썸남 썸녀
전남 전여 학생 정부 국회 의원 대통령 기자 국민 검사 판사 경찰 신입 알바 이사님 원장 실장 국장 점장
매니저 집주인
임대인 세입자 판매자 업체 가게 매장 식당 기사님 기사가 환자 의사 간호사 변호사 공무원 정치인 연예인
배우 가수 선수 감독
유튜버 기레기 시어머니 장모 할머니 할아버지 이모 삼촌 조카 사촌 우리형 형이 형은 룸메 팀원 부하
회사가 회사에서 회사는
담당자(?=가|는|도|랑|한테) 병원 학교 은행 보험사 통신사 경비 고객이 고객은 고객님 민원인 상담사 강사
코치 사람이 사람은 그인간 저인간 인간들
(?<!너|니|나|저|봇)(?:한테|에게)(?=물|말|문의|질문|얘기|전화) (?<!기)에(?:다가?)?(?=물어|문의|전화)
"""
QUESTION_WORDS = "언제 어디 어떻게 어떡 얼마 며칠 몇 무엇 뭐 뭔가 뭘 누구 누가 어느 어떤 왜 무슨"
REQUESTS = """
알려 가르쳐 갈쳐 설명해 찾아 보여 추천 정리해 요약 번역 방법 신청 문의 궁금 조회 확인해 부탁
주세요 해줘 해주 줄래 말해 절차 기준
는지 은지 인지 습니까 을까 언제까지인
"""
ASKING_ENDINGS = (
    "나요 까요 까 가요 니까 는가 줘 주라 하냐 되냐 있냐 없냐 인가 하니 되니 하나 되나 있나"
)
# In front of a complaint question words are mostly part of it (왜, 뭘, 언제까지); these are not.
REQUESTS_IN_FRONT = """
얼마 며칠 몇개 몇월 몇일 몇시 몇조 몇명 몇년 어디서 방법 는지 인지 냐고 나요 까요 궁금 알려 신청
"""
# What asks for information even amid a complaint.
REQUESTS_INSIDE = "얼마(?!나) 며칠 몇개 몇월 몇일 몇시 몇조 몇명 몇년 방법 신청 궁금(?!하지도)"
