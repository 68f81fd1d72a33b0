"""Words that cannot both be true of one thing.

A line is a group, ``|`` parts its sides; words of one side mean about the same, words of different
sides exclude each other. Verbs and adjectives stand as `guards.text.lemmas` leaves them.

Source: our own list. Licence: that of the project.
"""

from typing import NamedTuple

_GROUPS = """
무료 무상 공짜 | 유료 유상
포함 | 제외 배제
가능 | 불가능 불가
허용 허가 | 금지 불허
승인 | 반려 거절 거부
찬성 | 반대
동의 | 거부 반대
수락 | 거절
신청 | 취소 철회
가입 | 탈퇴 해지
체결 | 해지 해제
등록 | 말소
임명 임용 | 해임 파면
선임 | 해임
채용 | 해고
입사 | 퇴사 퇴직
입학 | 졸업 자퇴
입금 | 출금
입국 | 출국
입실 체크인 | 퇴실 체크아웃
출발 | 도착
수입 | 수출
매도 | 매수
구매 구입 | 판매
대여 | 반납
시작 개시 | 종료 마감 중단 연기 취소
개최 | 취소 연기
개업 | 폐업
개장 개점 | 폐장 폐점
설립 | 해산 폐지
신설 | 폐지
제정 | 폐지
증가 상승 늘어나 늘 오르 | 감소 하락 줄어들 줄 내리
증액 인상 | 감액 인하 삭감
증원 | 감원
확대 확장 확산 | 축소
강화 | 완화 약화
연장 | 단축
상향 | 하향
가중 | 경감 감경
합격 | 불합격 탈락
성공 | 실패
승리 이기 | 패배
당선 | 낙선
유효 | 무효
유죄 | 무죄
유급 | 무급
유기한 | 무기한
적법 합법 | 위법 불법
적합 | 부적합
적격 | 부적격
충분 | 부족 불충분
필수 | 선택
의무 강제 의무적 강제적 | 자율 임의 자율적 자발적
필요 | 불필요
완전 | 불완전
정상 | 비정상
공식 | 비공식
공개 | 비공개
영리 | 비영리
정규직 | 비정규직 계약직
대면 | 비대면
상근 | 비상근
과세 | 비과세 면세
전부 전액 모두 | 일부
전체 | 일부
최대 최대한 | 최소 최소한
최고 | 최저 최하 최악
최초 처음 첫 첫번째 첫째 | 두번째 둘째 | 세번째 셋째 | 네번째 넷째 | 마지막 최후
최소 | 최다
다수 | 소수
단수 | 복수
단독 | 공동
개별 | 일괄
개인 | 단체
사전 미리 | 사후
이전 | 이후
이내 | 이후 초과
이상 | 미만
이하 | 초과
전 | 후
상반기 | 하반기
오전 | 오후
평일 | 주말 공휴일
주간 | 야간
낮 | 밤
봄 | 여름 | 가을 | 겨울
어제 | 오늘 | 내일
작년 | 올해 | 내년
매일 | 매주 | 매월 매달 | 매분기 | 매학기 | 매년
월요일 | 화요일 | 수요일 | 목요일 | 금요일 | 토요일 | 일요일
서면 문서 | 구두 구술
온라인 인터넷 | 오프라인 방문
현금 | 카드
직접 | 간접
자동 | 수동
공립 국립 | 사립
공공 | 민간
국내 | 국외 해외
내국인 | 외국인
내부 | 외부
안쪽 | 바깥쪽
실내 | 실외 야외
내측 | 외측
상단 | 하단
위쪽 | 아래쪽
왼쪽 좌측 | 오른쪽 우측
앞 앞쪽 앞편 | 뒤 뒤쪽 뒤편 | 옆 옆쪽
위 | 아래
동쪽 | 서쪽 | 남쪽 | 북쪽 | 남동쪽 | 남서쪽 | 북동쪽 | 북서쪽
동부 | 서부 | 남부 | 북부 | 중부
남성 남자 남 | 여성 여자 여
기혼 | 미혼
성년 성인 | 미성년 미성년자
원고 | 피고
갑 | 을
임대인 | 임차인
매도인 | 매수인
채권자 | 채무자
고의 | 과실
본인 | 타인 제3자
사용자 | 근로자
흑자 | 적자
이익 | 손실 손해
수익 | 비용
장점 | 단점
찬성표 | 반대표
긍정적 | 부정적
적극적 | 소극적
낙관적 | 비관적
합리적 | 비합리적
안전 | 위험
만족 | 불만족 불만
편리 편하 편 | 불편
친절 | 불친절
깨끗 깔끔 청결 | 더럽 더러우 지저분
조용 | 시끄러우
신선 참신 | 식상 진부
재미있 재밌 흥미롭 흥미로우 | 재미없 지루
행복 | 불행
건강 | 허약
부유 | 가난
강하 강 | 약하 약
높 | 낮
많 | 적
크 | 작
기 길 | 짧
넓 | 조우 협소
깊 | 얕
두꺼우 | 얇
무거우 | 가벼우
빠르 신속 | 느리 늦
쉬우 용이 | 어려우 곤란
좋 | 나쁘 싫
비싸 | 싸 저렴
밝 | 어두우
맑 | 흐리
더우 | 추우
뜨거우 | 차가우
따뜻 | 쌀쌀
가까우 | 머
새로우 | 낡
기쁘 | 슬프
사랑 | 미움 증오
예쁘 아름다우 | 추하 못생기
기억 | 망각 잊
열 열리 | 닫 닫히
켜 | 끄
얻 | 잃
생존 | 사망
찾 | 잃어버리
출석 참석 | 결석 불참
참여 참가 | 불참
일치 | 불일치
존재 | 부재
지급 | 미지급 환수
납부 | 미납 체납
준수 | 위반
이행 | 불이행
착용 | 미착용
더 더욱 훨씬 매우 아주 | 덜
다양 여러가지 | 한가지 단일 획일적
함께 같이 | 따로 혼자
항상 언제나 늘 | 가끔 때때로 전혀
"""

# Predicates that tell the same thing in other words, or from the other party's side (지급, 수령);
# behind the bar those that deny it.
_FAMILIES = """
개관 개장 개점 개원 영업 운영 운행 진료 근무 열 여 | 휴관 휴장 휴점 휴원 휴업 휴무 휴진 운휴 쉬 닫
포함 산입 합산 들어가 반영 | 제외 미포함 배제 불포함 빠지
보상 보장 배상 변상
지급 수령 지원 제공 받 나오 주 드리 | 미지급
제공 이용 사용 쓰 활용
부과 납부 청구 징수 과금 내 발생 붙 부담
환불 환급 반환 돌려받 돌려주
신청 접수 응모
취소 철회
해지 해약
입장 출입 들어가 들어오
반입 가져오 가져가 들여오
촬영 찍
세척 씻 씨 물세척
복용 섭취 먹 먹이 드시 마시
적립 쌓이
발급 교부
양도 넘기
허용 허가
진행 계속 유지 개최 열리 지속 | 중단 중지 종료 취소 폐지 끝나
파기 폐기 삭제
참여 참가
"""


def _sides() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    allies: dict[str, set[str]] = {}
    opponents: dict[str, set[str]] = {}
    for group in _GROUPS.strip().splitlines():
        sides = [side.split() for side in group.split("|")]
        for side in sides:
            others = {word for other in sides if other is not side for word in other}
            for word in side:
                allies.setdefault(word, set()).update(side)
                opponents.setdefault(word, set()).update(others)
    return {
        word: (frozenset(allies[word]), frozenset(against)) for word, against in opponents.items()
    }


SIDES = _sides()
"""For each word those that mean the same and those that exclude it."""


class Family(NamedTuple):
    """What a predicate tells: the names of its families, and whether it affirms or denies it."""

    names: frozenset[str]
    affirms: bool


def _families() -> dict[str, Family]:
    names: dict[str, set[str]] = {}
    denying: set[str] = set()
    for line in _FAMILIES.strip().splitlines():
        affirmed, _, denied = line.partition("|")
        for word in (*affirmed.split(), *denied.split()):
            names.setdefault(word, set()).add(affirmed.split()[0])
        denying.update(denied.split())
    return {word: Family(frozenset(own), word not in denying) for word, own in names.items()}


FAMILIES = _families()
"""For each predicate what it tells."""
