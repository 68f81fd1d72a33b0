"""Chinese and Japanese words whose Korean reading is a Korean word for something else.

``汽车`` is a car and reads ``기차``, a train; ``注销`` is to cancel and reads ``주소``, an
address. A word is listed whatever language it may be from if it means something else in one of
them. Left out are words that read as no word of Korean, because nothing can be mistaken for them.

Source: our own lists, from the general knowledge of the languages. Licence: the project's own.
"""

from collections.abc import Mapping

# Each Korean word stands before those that read like it.
_GROUPS = (
    # Roads and journeys: a car reads as a train, parking as a stop, boarding as a registration.
    "기차 汽车 汽車 화차 火车 火車 기장 机场 機場 가사 驾驶 駕駛 사기 司机 司機 출구 出口 "
    "정차 停车 停車 상차 上车 上車 차도 车道 車道 기표 机票 機票 등기 登机 登機 행정 行程 "
    "대파 大巴 반차 班车 班車 공로 公路 기수 汽水 조차 租车 租車",
    # Places: a hotel reads as a pub, a playground as a head of a group, housing as a kitchen.
    "주점 酒店 반점 饭店 飯店 입주 入住 전대 前台 대청 大厅 大廳 지방 地方 약점 药店 藥店 "
    "약방 药方 藥方 사구 社区 社區 조장 操场 操場 공지 工地 상장 商场 商場 문구 门口 門口 "
    "주방 住房 성시 城市 이면 里面 裏面 裡面 외면 外面 대면 对面 對面 상면 上面 하면 下面 "
    "지도 地道 도장 到场 到場 출장 出场 出場 인간 人间 人間",
    # Health: a hospital reads as a practice, a doctor as a loan, a discharge as an application.
    "의원 医院 醫院 대부 大夫 간병 看病 출원 出院 호사 护士 護士 급구 急救 신고 身高 "
    "생기 生气 生氣 병기 病気 하수 下水",
    # Companies and work: a company reads as building work, wages as Confucius, a trip as leaving.
    "공사 公司 공창 工厂 工廠 단위 单位 單位 합동 合同 경리 经理 經理 부장 部长 部長 "
    "주임 主任 서기 书记 書記 직공 职工 職工 공인 工人 공작 工作 공자 工资 工資 동사 同事 "
    "상반 上班 하반 下班 출차 出差 녹용 录用 錄用 초빙 招聘 공정 工程 항목 项目 합작 合作 "
    "협의 协议 協議 활동 活动 담임 担任 擔任 성립 成立 주지 主持 주판 主办 主辦",
    # Offices and papers: to handle reads as a judge, to cancel as an address, a seal as a factory.
    "판사 办事 辦事 보도 报到 報到 신보 申报 申報 호조 护照 護照 호구 户口 戶口 비준 批准 "
    "등록 登录 登錄 등기 登记 주책 注册 註冊 주소 注销 註銷 계통 系统 系統 공장 公章 "
    "개장 盖章 蓋章 문장 文章 재료 材料 출시 出示 반발 颁发 頒發 발포 发布 發布 發佈 "
    "타인 打印 전진 传真 傳眞 傳真 제시 提示 보류 保留 접수 接受 접대 接待 초대 招待 "
    "회복 回复 回覆 요청 邀请 邀請 승낙 承诺 承諾 계단 阶段 階段 차수 次数 次數 "
    "인수 人数 人數 인원 人员 人員 수평 水平 계도 季度 상시 上市 통과 通过 기소 起诉 起訴 "
    "계승 继承 繼承 저압 抵押 지원 志愿 지원자 志願者 상관 相关 相關 상대 相对 相對 "
    "작위 作为 作爲 기간 期刊 서간 书刊 書刊",
    # Money: an invoice reads as an announcement, a receipt as a collection, a rent as a little.
    "지부 支付 수비 收费 收費 교비 交费 交費 缴费 繳費 발표 发票 發票 수거 收据 收據 "
    "차관 借款 대관 贷款 貸款 편의 便宜 보수 保修 증송 赠送 贈送 회관 汇款 匯款 퇴관 退款 "
    "환관 还款 還款 공관 公款 조금 租金 가전 价钱 價錢 절구 折扣 유수 维修 維修 "
    "장수 装修 裝修 수비 水费 水費 전비 电费 電費 방비 房费 房費 소비 小费 小費 "
    "우비 邮费 郵費 이식 利息 장단 账单 帳單 지표 支票 전장 转账 轉帳 강가 降价 降價 "
    "창가 涨价 漲價 영전 零钱 零錢 충치 充值 수취 收取 개호 开户 開戶 결산 结算 結算 "
    "구제 扣除 적분 积分 積分 분기 分期 장려 奖励 獎勵",
    # Buying and sending: to sell reads as a minority, to book as a plan, to return as coming home.
    "소수 销售 銷售 하단 下单 下單 수표 售票 매표 买票 買票 예정 预订 預訂 预定 預定 "
    "정구 订购 訂購 퇴정 退订 退訂 발화 发货 發貨 송화 送货 送貨 수화 收货 收貨 "
    "퇴화 退货 退貨 귀환 归还 歸還 수도 收到 질량 质量 質量 교역 交易 조차 租借 "
    "복무 服务 服務 예물 礼物 禮物",
    # Time: a date reads as a diary, a morning as an ancestor, surely as a schedule.
    "일기 日期 一起 성기 星期 금천 今天 후천 后天 後天 일천 一天 삼천 三天 춘천 春天 "
    "하천 夏天 추천 秋天 조상 早上 시후 时候 時候 가기 假期 주일 周一 週一 周日 週日 "
    "주사 周四 週四 일주 一周 一週 도기 到期 과기 过期 過期 제전 提前 수선 首先 "
    "최후 最后 最後 결속 结束 結束 일직 一直 일단 一旦 일정 一定 목전 目前 평상 平常 "
    "경상 经常 經常 지도 迟到 遲到",
    # School: a teacher reads as two sides of industry, lessons as vegetables, a tutor as news.
    "노사 老师 老師 선생 先生 가장 家长 家長 학원 学院 學院 방학 放学 放學 고시 考试 考試 "
    "작업 作业 作業 강의 讲义 講義 제목 题目 題目 연구생 研究生 전과 专科 專科 본과 本科 "
    "대전 大专 大專 고교 高校 상과 上课 上課 청과 听课 聽課 과정 课程 課程 전업 专业 專業 "
    "급격 及格 시험 试验 試驗 동학 同学 同學 분수 分数 分數 가교 家教 교련 教练 教練 "
    "보도 辅导 輔導 검토 检讨 檢討 고사 故事 서방 书房 書房",
    # People: a husband reads as a ledger, relatives as acceleration, politeness as bravado.
    "장부 丈夫 처자 妻子 애인 爱人 愛人 대가 大家 인가 人家 가속 家属 家屬 여아 女儿 女兒 "
    "노파 老婆 해자 孩子 사인 私人 객기 客气 客氣 명성 明星 재판 裁判 대수 对手 對手",
    # Things: a television reads as an exhibition, a newspaper as looking, a programme as a feeling.
    "수입 输入 輸入 수출 输出 輸出 지지 地址 주지 住址 계산기 计算机 計算機 수거 数据 數據 "
    "신식 信息 신상 信箱 수기 手机 手機 신문 新闻 新聞 전시 电视 電視 전제 电梯 電梯 "
    "정서 程序 경건 硬件 상기 相机 相機 조상 照相 우상 邮箱 郵箱 설치 设置 設置 "
    "안장 安装 安裝 조작 操作 방문 访问 訪問 유람 浏览 瀏覽 수색 搜索 상전 上传 上傳 "
    "어음 语音 語音 개관 开关 開關 관문 关门 關門 빙상 冰箱 수표 手表 水表 전표 电表 電表 "
    "개수 开水 開水 동서 东西 東西 안색 颜色 顏色 보지 报纸 報紙 냉기 冷气 冷氣",
    # Thoughts and manners: to know reads as a map, to need as demand, to wait as a lighthouse.
    "비상 非常 방편 方便 의사 意思 사정 事情 고소 告诉 告訴 명백 明白 청초 清楚 "
    "해석 解释 解釋 소심 小心 조심 操心 방심 放心 내심 耐心 점심 点心 點心 약속 约束 "
    "약정 约定 다소 多少 공부 工夫 功夫 연계 联系 聯繫 聯系 연출 演出 지도 知道 수요 需要 "
    "인식 认识 認識 의외 意外 안정 安静 安靜 대의 大意 대개 大概 표현 表现 소유 所有 "
    "혹자 或者 근거 根据 주의 主意 교대 交代 수습 收拾 등대 等待 개소 介绍 介紹 "
    "참관 参观 參觀 안배 安排 가무 家务 家務 통고 痛苦 기망 期望 고흥 高兴 高興 "
    "사사 谢谢 謝謝 창가 唱歌 불능 不能 득도 得到 타개 打开 주문 注文 방조 帮助 幫助 "
    "구경 究竟 연고 缘故 緣故 실재 实在",
    # Japanese: poor at reads as an expert, a reply as a reflection, a date as a part.
    "수지 手紙 대장부 大丈夫 도합 都合 절수 切手 일부 日付 반사 返事 고수 苦手 상수 上手 "
    "하수 下手 진면목 真面目 유수 留守 주인 主人 용의 用意 회수 回数 세화 世話 미혹 迷惑 "
    "무리 無理 정녕 丁寧 천기 天気 원기 元気 가내 家内 기분 気分 견사 見事 면강 勉強",
)


def _by_word() -> Mapping[str, str]:
    found: dict[str, str] = {}
    korean = ""
    for word in " ".join(_GROUPS).split():
        if "가" <= word[0] <= "힣":
            korean = word
        else:
            found[word] = korean
    return found


FALSE_FRIENDS = _by_word()
"""The Korean word that each foreign one must not be taken for."""

FALSE_COUNTERS = frozenset("天号號点點位次元円圆圓路度斤里口期代")
"""Behind a number: ``3天`` are three days and no ``3천``, ``5号`` is a day of the month."""
