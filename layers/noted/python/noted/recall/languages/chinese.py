"""Times in Chinese, in simplified and traditional characters."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import ENGLISH_MONTHS, ENGLISH_WEEKDAYS, YEAR, YEARS, Form, words
from noted.recall.languages.numerals import months, numerals
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_LETTERS = {
    ord(traditional): simplified
    for traditional, simplified in zip(
        "週個號後這點兩幾說過訴談麼時間應該會開們從來為給講嗎禮鐘現準備計劃問讓記門誰還發節",
        "周个号后这点两几说过诉谈么时间应该会开们从来为给讲吗礼钟现准备计划问让记门谁还发节",
        strict=True,
    )
}
_DAYS = "一二三四五六"
_VOCABULARY = {
    "month": months(ENGLISH_MONTHS),
    "weekday": {
        f"{week}{day}": english
        for week in ("周", "星期", "礼拜")
        for day, english in zip((*_DAYS, "日", "天"), (*ENGLISH_WEEKDAYS, "sunday"), strict=True)
    },
    "unit": words(
        minute="分钟",
        hour="小时, 个小时, 钟头, 个钟头",
        day="天, 日",
        week="周, 星期, 个星期, 礼拜, 个礼拜",
        month="个月",
        quarter="季度, 个季度",
        year="年",
    ),
    "count": numerals(31) | words(few="几") | {"两": "2"},
    "part": words(
        morning="早上, 上午, 早晨, 清晨", afternoon="下午, 中午", evening="傍晚", night="晚上, 夜里, 晚"
    ),
    "season": words(spring="春天, 春季", summer="夏天, 夏季", autumn="秋天, 秋季", winter="冬天, 冬季"),
    "day": numerals(31),
    "year": {"去年": "last year", "今年": "this year"},
}
_SUFFIX = r"的?(?:<part>)?"
_WEEK = r"(?:周|星期|礼拜)"
_NOT_COUNTED = r"(?<![\d一二三四五六七八九十两几每])"
_FORMS = (
    Form(
        rf"大?(?<!以)后天|明天|明[早晚]|下下?个?(?:{_WEEK}[一二三四五六日天末]?|月|季度)|明年|后年",
        readings.nothing,
    ),
    Form(rf"每个?(?:{_WEEK}[一二三四五六日天末]?|月|天|年|晚|早)", readings.nothing),
    Form(r"(?:<year>年?的?)?<month>月<day>[日号]?(?:到|至|~|-)<last>[日号]", readings.date_range, ahead=True),
    Form(r"(?:<year>年?的?)?<month>月<day>[日号]", readings.named_date, ahead=True),
    Form(r"从?<month>月份?(?:到|至|~|-)<last_month>月", readings.months, ahead=True),
    Form(r"<year>年?的?<month>月份?", readings.month_of_year),
    Form(rf"从?{YEARS[0]}年?(?:到|至|~|-){YEARS[1]}年", readings.years),
    Form(r"<year>年?的?<season>", readings.season_of_year),
    Form(r"<count> ?<unit>(?:以前|之前|前)", readings.ago),
    Form(r"前(?P<count>几)(?P<unit>天)", readings.ago),
    Form(r"(?:过去|最近|近|这)的?<count> ?<unit>", readings.rolling),
    Form(rf"上个?<weekday>{_SUFFIX}", readings.weekday_of_week),
    Form(rf"(?:这个?|本)<weekday>{_SUFFIX}", readings.weekday_of_week, ahead=True, sets={"which": "this"}),
    Form(rf"上个?(?:{_WEEK}末|周末)", grammar.unit, sets={"unit": "weekend"}),
    Form(rf"上上个?{_WEEK}", grammar.unit, sets={"unit": "week", "which": "before last"}),
    Form(rf"上个?{_WEEK}", grammar.unit, sets={"unit": "week"}),
    Form(r"上上个?月", grammar.unit, sets={"unit": "month", "which": "before last"}),
    Form(r"上个?月", grammar.unit, sets={"unit": "month"}),
    Form(r"上个?季度", grammar.unit, sets={"unit": "quarter"}),
    Form(r"前年", grammar.unit, sets={"unit": "year", "which": "before last"}),
    Form(r"去年", grammar.unit, sets={"unit": "year"}),
    Form(rf"(?:这个?|本)?(?<!上)(?<!下)(?:周末|{_WEEK}末)", readings.weekend, ahead=True),
    Form(rf"(?:这个?|本){_WEEK}", grammar.unit, ahead=True, sets={"unit": "week", "which": "this"}),
    Form(r"(?:这个|本)月", grammar.unit, ahead=True, sets={"unit": "month", "which": "this"}),
    Form(r"今年", grammar.unit, ahead=True, sets={"unit": "year", "which": "this"}),
    Form(rf"大前天{_SUFFIX}", readings.days_back(3)),
    Form(rf"前天{_SUFFIX}", readings.days_back(2)),
    Form(r"昨[晚夜]|昨[天日](?:晚上|夜里)", readings.days_back(1, "night")),
    Form(rf"昨[天日]{_SUFFIX}", readings.days_back(1)),
    Form(r"今早|今天(?:早上|上午|早晨)", readings.days_back(0, "morning")),
    Form(r"今晚", readings.days_back(0, "evening"), ahead=True),
    Form(rf"今[天日]{_SUFFIX}", readings.days_back(0), ahead=True),
    Form(rf"{_NOT_COUNTED}<weekday>(?!次){_SUFFIX}", readings.weekday, ahead=True),
    Form(r"<month>月份?", readings.month, ahead=True),
    Form(rf"{YEAR}年(?!代|间|级|款|版|型|度)", readings.year),
)

_SAID = r"(?:说|讲|告诉|提|聊|谈|问|要求|让)(?:了|过|你|的|到|起)"
_TO_YOU = r"(?:都|还|有)?(?:(?:跟|和|对|向|给)你)?"
SPEECH = Speech(
    letters=_LETTERS,
    rules=grammar.rules(_FORMS, _VOCABULARY, _LETTERS, spaced=False),
    since=Edge(Pattern(r"(?:自从|从|自)$"), Pattern(r"以来|起|开始")),
    after=Edge(behind=Pattern(r"以后|之后|后(?!天)")),
    before=Edge(behind=Pattern(r"以前|之前|前")),
    until=Edge(Pattern(r"(?:直到|截至|截止到)$"), Pattern(r"为止")),
    ranged=Pattern(r"到|至|~|-"),
    listed=Pattern(r"和|或者?|还是|、|,"),
    to_now=Pattern(r"(?:到|至)(?:现在|今天|今)"),
    present=Pattern(
        r"应该|打算|准备|计划|安排|将|需要|(?<!重)要|想|可以|能|会(?!议)|开门|\?|什么|哪|谁|怎么"
    ),
    past=Pattern(r"了|过(?!去|程|年)|说的|告诉你的|记得|曾|以来"),
    telling=(
        Telling(before=Pattern(r"我们?(?:在|从|自)?$"), behind=Pattern(rf"(?:以来|起)?{_TO_YOU}{_SAID}")),
        Telling(
            before=Pattern(r"(?:^|[。!?,、;])(?:在|从|自)?$"),
            behind=Pattern(rf"(?:以来|起)?,?我们?{_TO_YOU}{_SAID}"),
        ),
    ),
)
