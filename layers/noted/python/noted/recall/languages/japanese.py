"""Times in Japanese."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import ENGLISH_MONTHS, YEAR, YEARS, Form, words
from noted.recall.languages.numerals import months, numerals
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_OF = r"の?"
_SUFFIX = r"(?:の?<part>)?"
_VOCABULARY = {
    "month": months(ENGLISH_MONTHS),
    "weekday": grammar.weekdays(
        "ja",
        monday="月曜",
        tuesday="火曜",
        wednesday="水曜",
        thursday="木曜",
        friday="金曜",
        saturday="土曜",
        sunday="日曜",
    ),
    "unit": words(
        minute="分",
        hour="時間",
        day="日間, 日",
        week="週間, 週",
        month="か月間, か月, ヶ月, カ月, ヵ月, ケ月, 箇月, ヶ月間",
        year="年間, 年",
    ),
    "count": numerals(31) | words(few="数"),
    "part": words(morning="朝, 午前中, 午前", afternoon="昼, 午後", evening="夕方", night="夜, 晩"),
    "season": words(spring="春", summer="夏", autumn="秋", winter="冬"),
    "day": numerals(31),
    "year": {"去年": "last year", "昨年": "last year", "今年": "this year"},
}
_FORMS = (
    Form(
        r"明後日|明日|(?<![ぁ-ん])(?:あした|あさって)|再?来(?:週末?|月|年)(?:の?<weekday>)?|翌(?:日|週|月|年)"
        r"|(?:次|今度)の(?:<weekday>|週末?|月|年)",
        readings.nothing,
    ),
    Form(r"毎(?:週末?|月|年|日|朝|晩)(?:の?<weekday>)?", readings.nothing),
    Form(
        rf"(?:<year>年?{_OF})?<month>月<day>日?(?:から|より|~|-)<last>日(?:まで)?",
        readings.date_range,
        ahead=True,
    ),
    Form(rf"(?:<year>年?{_OF})?<month>月<day>日(?:の?<weekday>)?", readings.named_date, ahead=True),
    Form(r"<month>月(?:から|~|-)<last_month>月(?:まで)?", readings.months, ahead=True),
    Form(rf"<year>年?{_OF}<month>月", readings.month_of_year),
    Form(rf"{YEARS[0]}年?(?:から|~|-){YEARS[1]}年(?:まで)?", readings.years),
    Form(rf"<year>年?{_OF}<season>", readings.season_of_year),
    Form(r"<season>(?=に|の間|は)", readings.season, ahead=True),
    Form(r"<count> ?<unit>(?:ほど|くらい|ぐらい)?前", readings.ago),
    Form(r"(?:過去|この|ここ|最近の?|直近の?)<count> ?<unit>", readings.rolling),
    Form(rf"先週{_OF}<weekday>{_SUFFIX}", readings.weekday_of_week),
    Form(rf"今週{_OF}<weekday>{_SUFFIX}", readings.weekday_of_week, ahead=True, sets={"which": "this"}),
    Form(rf"先週{_OF}(?:週末|末)", grammar.unit, sets={"unit": "weekend"}),
    Form(r"先々週", grammar.unit, sets={"unit": "week", "which": "before last"}),
    Form(r"先週", grammar.unit, sets={"unit": "week"}),
    Form(r"先々月", grammar.unit, sets={"unit": "month", "which": "before last"}),
    Form(r"先月", grammar.unit, sets={"unit": "month"}),
    Form(r"一昨年|おととし", grammar.unit, sets={"unit": "year", "which": "before last"}),
    Form(r"昨年|去年", grammar.unit, sets={"unit": "year"}),
    Form(r"(?:今週の?)?(?<!毎)週末|今週末", readings.weekend, ahead=True),
    Form(r"今週", grammar.unit, ahead=True, sets={"unit": "week", "which": "this"}),
    Form(r"今月", grammar.unit, ahead=True, sets={"unit": "month", "which": "this"}),
    Form(r"今年", grammar.unit, ahead=True, sets={"unit": "year", "which": "this"}),
    Form(rf"(?:一昨日|(?<![ぁ-ん])おととい){_SUFFIX}", readings.days_back(2)),
    Form(r"昨夜|昨晩|(?<![ぁ-ん])ゆうべ|夕べ", readings.days_back(1, "night")),
    Form(rf"(?:昨日|(?<![ぁ-ん])きのう){_SUFFIX}", readings.days_back(1)),
    Form(r"今朝", readings.days_back(0, "morning")),
    Form(r"今夜|今晩", readings.days_back(0, "evening"), ahead=True),
    Form(rf"今日{_SUFFIX}", readings.days_back(0), ahead=True),
    Form(rf"(?:この前|前)の<weekday>{_SUFFIX}", readings.weekday),
    Form(rf"<weekday>{_SUFFIX}", readings.weekday, ahead=True),
    Form(r"<month>月(?=[にはのかまよ以、,末頃ご中も?]|$)", readings.month, ahead=True),
    Form(rf"{YEAR}年(?!代|間|生まれ|度|式|型|製|以上|前半|後半)", readings.year),
)

_GAP = r"(?:私|わたし|僕|ぼく|俺|君|きみ|あなた|貴方|が|は|に|へ|を|も|の|何|なに|なん|と|って|こと|、)*"
_SAID = r"(?:話し|言っ|言い|伝え|教え|頼ん|頼み|お願いし|相談し)(?:た|まし)"
SPEECH = Speech(
    rules=grammar.rules(_FORMS, _VOCABULARY, {}, spaced=False),
    since=Edge(behind=Pattern(r"から|以来|以降")),
    after=Edge(behind=Pattern(r"より後|の後|以後")),
    before=Edge(behind=Pattern(r"より前|よりも前|の前|以前")),
    until=Edge(behind=Pattern(r"まで")),
    ranged=Pattern(r"から|~|-"),
    listed=Pattern(r"と|や|か|、"),
    to_now=Pattern(r"から(?:今|現在|今日)まで"),
    present=Pattern(
        r"予定|つもり|べき|(?:れば|たら)いい|たい(?:です|。|$)|しよう|でしょう|開いて|あります|ある\W*$"
        r"|です(?:か)?\W*$|ます(?:か)?\W*$"
        r"|\?|る\W*$|何\W*$"
    ),
    past=Pattern(
        r"[しちきぎいりみびにっんえけせてねめれげでべ]た(?![いくめちらだま])|[んい]だ(?=[?。、かのっ]|$|こと"
        r"|もの|本)|っけ|覚えて"
    ),
    telling=(
        Telling(
            before=Pattern(r"(?:^|[。!?、,])(?:(?:私|僕|俺|わたし|ぼく)(?:は|が)、?)?$"),
            behind=Pattern(rf"(?:から|まで|以来|以降|の間)?、?{_GAP}{_SAID}"),
        ),
    ),
)
