"""Korean words with which an answer frames what it says, and which no source need have.

Light verbs and the predicates of permission and duty (받다, 가능, 필요), polite forms of address
(고객님), words that place a sentence among others (다만, 먼저, 함께), words for the papers and
rules themselves (자료, 내용, 기준), and particles that stand alone behind a bracket or a figure.
Written as `guards.text.lemmas` and `guards.text.tokens` leave them.

Source: our own list. Licence: the project's own.
"""

_LIST = """
하 되 있 없 않 아니 받 바 드 아 마 드리 주 주시 바라 보 두 놓 가 오 알 들 나오 계시 말
이 시키 마치 겪 받으시 않으시 계시다 하셨다
가능 불가능 불가 이용 사용 필요 필수 해당 적용 진행 제공 처리 준비 참고 문의 안내 확인 부탁
어렵 어려우 좋 아쉽 아쉬우 안타깝 안타까우 죄송 괜찮 원하 궁금
고객 고객님 회원님 님 분 본인 여러분
다만 또한 아울러 대신 이때 그때 이후 이전 먼저 우선 처음 마지막 다시 바로 함께 직접 반드시 꼭
별도 추가 모두 각각 더 덜 가장 이미 아직 미리 그대로 원칙적 예외적 기본 기본적 현재 참고로
자료 내용 사항 기준 규정 조문 조항 대상 순서 절차 방법 상황 경우든 경우 아래 위 중
것 수 때 곳 일 날 번 건 개 명 등 및 시 전 후 뒤 안 밖 못 남
은 는 이 가 을 를 의 에 에서 에게 으 로 와 과 도 까지 부터 마다 씩 당 인 며 고
이상 이하 초과 미만 이내 최대 최소 총 약 하나 둘 두 세 네 한
입니다 이며 이고 예요 이에요
"""

FRAME_WORDS = frozenset(_LIST.split())
