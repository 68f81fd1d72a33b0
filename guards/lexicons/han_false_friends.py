"""Chinese and Japanese words that mean something else than the Korean word of the same reading.

``汽车`` is a car and reads ``기차``, which is a train; ``便宜`` is cheap and reads ``편의``.

Source: our own list, from the general knowledge of the languages. Licence: the project's own.
"""

FALSE_FRIENDS = frozenset(
    """
    汽车 汽車 火车 火車 机场 機場 驾驶 駕駛 司机 司機 出口 入住 酒店 饭店 飯店 房间 房間 站台
    公司 工厂 工廠 单位 單位 合同 经理 經理 部长 部長 主任 书记 書記 职工 職工 工人 工作 工资 工資
    老师 老師 先生 家长 家長 学院 學院 医院 醫院 大夫 丈夫 妻子 爱人 愛人 小姐 大家 人家
    支付 收费 收費 交费 交費 缴费 繳費 发票 發票 收据 收據 借款 贷款 貸款 便宜 保修 赠送 贈送
    输入 輸入 输出 輸出 登录 登錄 注册 註冊 地址 住址 计算机 計算機 数据 數據 信息 手机 手機
    日期 星期 明天 早上 时候 時候 假期 放学 放學 考试 考試 作业 作業 讲义 講義 题目 題目
    非常 方便 意思 事情 颜色 顏色 质量 質量 地方 东西 東西 告诉 告訴 新闻 新聞 明白 清楚 解释 解釋
    小心 操心 放心 点心 點心 约束 结束 結束 多少 工夫 功夫 平常 联系 聯繫 聯系 批准 演出 检讨 檢討
    手紙 大丈夫 勉強 都合
    """.split()
)
