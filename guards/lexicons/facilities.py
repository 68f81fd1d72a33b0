"""Facilities and services of a house, each with the words that may stand for it.

Words of one line excuse one another: a source that has one of them has the facility. A name is
only listed where it can hardly mean anything else.

Source: our own list. Licence: the project's own.
"""

_LIST = """
수영장 풀장 인피니티풀 인피니티 풀 pool 물놀이
사우나 찜질방 목욕탕 대욕장 온천 sauna
스파 마사지 테라피 spa
헬스장 헬스클럽 피트니스 체력단련실 체력단련장 헬스 짐 운동시설 gym fitness
레스토랑 식당 음식점 다이닝 뷔페 브런치 restaurant dining
라운지 lounge
카페 커피숍 커피 찻집 베이커리 cafe café coffee
키즈클럽 키즈카페 키즈존 키즈 놀이방 놀이터 어린이 kids
편의점 매점 마트 상점
골프장 골프연습장 골프 golf
테니스장 테니스 tennis
볼링장 볼링 bowling
스키장 스키 ski
코인세탁실 세탁실 세탁소 세탁 런드리 laundry
셔틀버스 셔틀 통근버스 순환버스 shuttle
리무진 공항버스 limousine
발렛파킹 발렛 발레 대리주차 valet
룸서비스 인룸다이닝 인룸 in-room
연회장 볼룸 컨벤션홀 컨벤션 웨딩홀 연회 ballroom banquet
비즈니스센터 비즈니스 business
루프탑 옥상 rooftop
노래방 가라오케 karaoke
오락실 게임룸 게임
골프카트 카트
"""

FACILITIES = tuple(tuple(line.split()) for line in _LIST.strip().splitlines())
# What only excuses: a claim in these words is no claim of a facility of its own.
EXCUSING_ONLY = frozenset(
    """
풀 짐 물놀이 헬스 어린이 키즈 커피 상점 골프 테니스 볼링 스키 세탁 연회 비즈니스 옥상 게임 카트 온천
다이닝 브런치 음식점 식당 마트 매점 인룸 컨벤션 발레 마사지 테라피
""".split()
)
