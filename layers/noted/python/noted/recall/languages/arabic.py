"""Times in Arabic. A week is that of ISO 8601, and months are those of the Gregorian calendar, by their names
in Egypt and the Gulf, in the Levant, and in the Maghreb."""

from __future__ import annotations

from collections.abc import Mapping

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

# Letters that are written one for another, and signs of vowels, which most people leave out.
LETTERS: Mapping[int, str] = {
    **{ord(letter): "ا" for letter in "أإآٱ"},
    ord("ى"): "ي",
    ord("ی"): "ي",
    ord("ک"): "ك",
    ord("ة"): "ه",
    ord("،"): ",",
    **dict.fromkeys((*range(0x64B, 0x653), 0x670, 0x640), ""),
}


def _pattern(source: str) -> Pattern:
    return Pattern(source.translate(LETTERS))


_PAST = "(?:الماضي|الماضية|الفائت|الفائتة|المنصرم|المنصرمة|السابق|السابقة)"
_NEXT = "(?:القادم|القادمة|المقبل|المقبلة|التالي|التالية|الجاي|الجاية)"
_IN_YEAR = r"(?:,? (?:من )?(?:(?:عام|سنة) )?<year>)?"
_LEAD = r"(?:يوم |شهر |عام |سنة )?(?:(?:بداية|منتصف|نهاية|أوائل|أواخر) )?(?:شهر |عام )?"
_FOLLOWS = "في|من|عن|على|مع|أو|و|ثم|كنت|قبل|بعد|إلى|حتى|كان|كانت"
_VOCABULARY = {
    "month": grammar.months(
        "ar",
        january="كانون الثاني, جانفي",
        february="شباط, فيفري",
        march="آذار",
        april="نيسان, أفريل",
        may="أيار, ماي",
        june="حزيران, جوان",
        july="تموز, جويلية, يوليوز",
        august="أغسطس, غشت, أوت",
        september="أيلول, شتنبر",
        october="تشرين الأول",
        november="تشرين الثاني, نونبر",
        december="كانون الأول, دجنبر",
    ),
    "weekday": grammar.weekdays(
        "ar",
        monday="الإثنين, اثنين",
        tuesday="الثلاثا",
        wednesday="الأربعا",
        thursday="خميس",
        friday="جمعة",
        sunday="احد",
    ),
    "unit": words(
        minute="دقيقة, دقائق",
        hour="ساعة, ساعات",
        day="يوم, أيام, يوما",
        week="أسبوع, أسابيع, أسبوعا",
        month="شهر, أشهر, شهور, شهرا",
        year="سنة, سنوات, سنين, عام, أعوام, عاما",
    ),
    "pair": words(
        minute="دقيقتين",
        hour="ساعتين",
        day="يومين",
        week="أسبوعين",
        month="شهرين",
        year="سنتين, عامين",
    ),
    "count": grammar.counts(
        "واحد, واحدة",
        "اثنين, اثنتين",
        "ثلاثة, ثلاث",
        "أربعة, أربع",
        "خمسة, خمس",
        "ستة, ست",
        "سبعة, سبع",
        "ثمانية, ثماني, ثمان",
        "تسعة, تسع",
        "عشرة, عشر",
        few="بضعة, بضع, عدة",
    ),
    "part": words(
        morning="صباح, صباحا, الصباح",
        afternoon="ظهر, ظهرا, عصر, عصرا, بعد الظهر",
        evening="مساء, المساء",
        night="ليلا, ليلة",
    ),
    "season": words(spring="ربيع", summer="صيف", autumn="خريف", winter="شتاء"),
    "day": {"أول": "1"},
    "year": {"العام الماضي": "last year", "السنة الماضية": "last year", "هذا العام": "this year"},
}
_VOCABULARY["unit"] |= _VOCABULARY.pop("pair")
_PAIRS = "(?P<unit>دقيقتين|ساعتين|يومين|أسبوعين|شهرين|سنتين|عامين)"
_FORMS = (
    Form("بعد (?:ال)?غد|(?:ال)?غدا?(?: <part>)?", readings.nothing),
    Form(rf"(?:ال<unit>|(?:يوم )?<weekday>|<month>|ال<season>|نهاية الأسبوع) {_NEXT}", readings.nothing),
    Form("(?:كل|أيام) (?:يوم )?(?:<weekday>|<unit>)", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        rf"(?:من |بين )?<day>(?: إلى | حتى | و ?| ?- ?)<last> (?:من )?<month>{_IN_YEAR}",
        readings.date_range,
        ahead=True,
    ),
    Form(
        rf"(?:(?:يوم )?<weekday>,? )?(?:ال)?<day> (?:من )?(?:شهر )?<month>{_IN_YEAR}",
        readings.named_date,
        ahead=True,
    ),
    Form(rf"(?:بين|من) <month> (?:و ?|إلى |حتى )<last_month>{_IN_YEAR}", readings.months, ahead=True),
    Form("<month>,? (?:من )?(?:(?:عام|سنة) )?<year>", readings.month_of_year),
    Form(rf"(?:بين|من)(?: عامي| عام)? {YEARS[0]} (?:و ?|إلى (?:عام )?){YEARS[1]}", readings.years),
    Form("<season> (?:عام |سنة )?<year>", readings.season_of_year),
    Form(rf"(?:عام|سنة) {YEAR}", readings.year),
    Form(rf"ال<season> {_PAST}", readings.season, sets={"which": "last"}),
    Form("هذا ال<season>", readings.season, ahead=True),
    Form("ال<season>", readings.season, led_in("(?:في|خلال|منذ|قبل) "), ahead=True),
    Form(
        rf"(?:خلال |في |آخر )?(?:ال)?{_PAIRS} (?:الماضيين|الأخيرين|الماضيتين|الأخيرتين)",
        readings.rolling,
        sets={"count": "2"},
    ),
    Form(rf"آخر {_PAIRS}", readings.rolling, sets={"count": "2"}),
    Form(rf"(?:قبل|منذ) {_PAIRS}", readings.ago, sets={"count": "2"}),
    Form("(?:قبل|منذ) (?:حوالي |نحو )?<count> <unit>(?: مضت)?", readings.ago),
    Form("<count> <unit> (?:مضت|خلت)", readings.ago),
    Form("(?:قبل|منذ) <unit>(?: واحدة?)?(?! من)", readings.ago, sets={"count": "a"}),
    Form("ال<unit> (?:ال ?)?<count> (?:الماضية|الأخيرة|الفائتة)", readings.rolling),
    Form("آخر <count> <unit>", readings.rolling),
    Form("ال<unit> قبل الماضية?", grammar.unit, sets={"which": "before last"}),
    Form(rf"(?:عطلة )?نهاية الأسبوع {_PAST}", grammar.unit, sets={"unit": "weekend"}),
    Form("(?:في |خلال )(?:عطلة )?نهاية الأسبوع", readings.weekend, ahead=True),
    Form(rf"ال<unit> {_PAST}", grammar.unit),
    Form("هذ[اه] ال<unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form("ال<unit> (?:الحالي|الحالية|الجاري|الجارية)", grammar.unit, ahead=True, sets={"which": "this"}),
    Form("(?:أول|أولة) (?:من )?أمس|أمس الأول|قبل أمس", readings.days_back(2)),
    Form(
        "(?:مساء|ليلة) (?:ال)?(?:أمس|البارحة)|ليلة البارحة|الليلة الماضية|(?:ال)?أمس (?:مساء|ليلا)",
        readings.days_back(1, "night"),
    ),
    Form("(?:<part> )?(?:ب?ال)?أمس", readings.days_back(1)),
    Form("البارحة|مبارح|امبارح", readings.days_back(1)),
    Form("هذا الصباح|صباح اليوم|اليوم صباحا", readings.days_back(0, "morning")),
    Form("هذا المساء|مساء اليوم|الليلة", readings.days_back(0, "evening"), ahead=True),
    Form("اليوم", readings.days_back(0), grammar.not_led_in("(?:نفس|طوال|هذا) "), ahead=True),
    Form(rf"(?:يوم )?<weekday> {_PAST}", readings.weekday),
    Form("هذا <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    Form("يوم <weekday>", readings.weekday, ahead=True),
    Form("<weekday>", readings.weekday, led_in("(?:منذ|حتى|قبل|بعد|من) "), ahead=True),
    Form(rf"<month> {_PAST}", readings.month, sets={"which": "last"}),
    Form(
        "<month>",
        readings.month,
        led_in("(?:في|خلال|منذ|قبل|بعد|حتى|بين|شهر|بداية|منتصف|نهاية|أوائل|أواخر) "),
        ahead=True,
    ),
    Form(YEAR, readings.year, led_in("(?:في|منذ|قبل|بعد|حتى|خلال) ", goes_on=_FOLLOWS)),
)

_I_SAID = (
    "(?:قلت(?:ه|ها)? لك|قلت|أخبرتك|ذكرت(?:ه)?(?: لك)?|حكيت(?: لك)?|طلبت منك|طلبت|سألتك|حدثتك|كتبت لك|تحدثنا"
    "|ناقشنا|تكلمنا)"
)
SPEECH = Speech(
    letters=LETTERS,
    rules=grammar.rules(_FORMS, _VOCABULARY, LETTERS),
    since=Edge(_pattern(rf"(?:^|\W)(?:منذ|ابتداء من) {_LEAD}$")),
    after=Edge(_pattern(rf"(?:^|\W)بعد {_LEAD}$")),
    before=Edge(_pattern(rf"(?:^|\W)قبل {_LEAD}$")),
    until=Edge(_pattern(rf"(?:^|\W)(?:حتى|لغاية) {_LEAD}$")),
    between=_pattern(rf"(?:^|\W)بين {_LEAD}$"),
    joined=_pattern(rf" و ?{_LEAD}"),
    ranged=_pattern(rf" ?- ?| (?:إلى|حتى|وحتى|لغاية) {_LEAD}"),
    listed=_pattern(r",? (?:و|أو) ?(?:في )?|, "),
    to_now=_pattern(r" (?:حتى|إلى) (?:الآن|اليوم)"),
    # By the letters in which texts are first folded, so both spellings of what differs stand here.
    present=Pattern(
        r"\b(?:سوف|سأ\w+|سا\w{3,}|يجب|ينبغي|[أا]ريد|عندي|لدي|[أا]طبخ|[أا]فعل|[أا]لبس|يمكنني)\b|\?|\u061f"
    ),
    past=Pattern(
        r"\b(?!(?:[أا]نت|بيت|وقت|تحت|بنت|[أا]خت|زيت|صوت|موت|هنا|[أا]نا|لنا|بنا|لدينا|عندنا|متى)\b)\w{2,}(?:ت"
        r"|تها|ته|تك|نا)\b"
        r"|\b(?:كان|قال|حدث|حصل|تغيّ?ر)\b"
    ),
    telling=(
        Telling(
            before=_pattern(
                rf"(?<!\w){_I_SAID}(?: (?:في|خلال|منذ|يوم|هذا|شيئا|عنه|عنها|قبل|بعد|حتى|بين))* ?$"
            )
        ),
        Telling(
            before=_pattern(r"(?:^|[.!?؟;:] ?)(?:(?:و|في|منذ|خلال|يوم) ?)*$"),
            behind=_pattern(rf",? ?(?:ماذا |ما الذي |ما |أين |متى )?{_I_SAID}(?!\w)"),
        ),
    ),
)
