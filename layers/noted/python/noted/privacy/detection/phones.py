"""Telephone numbers.

An international number (+44 …) counts when its country's plan could hold it. A national one counts by its
form where that is no chance: with the leading 0 of the countries that dial one, or grouped 3-3-4 as in
North America; and otherwise beside a word for it ("call me on"). Years, dates, prices and the numbers of
orders do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.context import OTHER_NUMBER, before, is_part_of_number, last_place
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType
from noted.text.characters import blotted

# Where a 0 is dialled before a national number: in these plans a valid one is no chance.
TRUNK_REGIONS = ("GB", "FR", "NL", "BE", "CH", "AU", "IR", "SE", "ZA", "JP")

# A plus begins a number whatever stands before it. Without one, a comma, a colon or a slash may part it from
# the next value of a list; a hyphen and a point do not.
_DIGITS = r"\d(?:(?!\)\()[ ().\-/]{0,3}\d){6,17}(?: ?(?:x|ext\.?|extension) ?\d{1,8}(?!\d))?"
_CANDIDATE = re.compile(
    rf"\(?\+\(?{_DIGITS}(?![\d%€$£¥₹])"
    rf"|(?<![\w$€£¥₹#+])(?<!\d[./-])\(?{_DIGITS}(?![\w%€$£¥₹]|[.-]\d)",
    re.IGNORECASE,
)
# What else stands in digits beside them: dates and spans of years, times of day, amounts with commas.
_OTHERS = (
    re.compile(
        r"(?<![\w])(?<!\d[.:/-])(?:(?:1\d|20)\d\d(?P<a>[-./])\d\d?(?P=a)\d\d?|\d\d?(?P<b>[-./])\d\d?(?P=b)(?:(?:1\d|20)\d\d))"
        r"(?!\d|[-./]\d\d?(?!\d))|(?<![\d-])(?:19|20)\d\d ?[-/] ?(?:19|20)\d\d(?![\d-])"
    ),
    re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])"),
    re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,-]|[. ]\d{3}[ .-]\d{4}(?!\d))"),
)
_EXTENSION = re.compile(r" ?(?:x|ext\.?|extension) ?(\d{1,8})$", re.IGNORECASE)
_NORTH_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d(?P<mark>[ .-]))[2-9]\d\d[ .-]\d{4}")
_UNBROKEN = re.compile(r"\(?(\+\d{8,})(?![\d(])")
_ROUND = re.compile(r"000 000$|^\d{1,3}(?P<mark>[ .])000(?:(?P=mark)\d{3})*$")
_DECIMAL = re.compile(r"\d+\.\d+")
_WORD = re.compile(
    r"""\b(?:phones?|telephone|tel|mobile|cell(?:phone)?|landline|call(?:ing|ed|s)?|text(?:ed|ing)?|ring|dial|whats\s?app|fax
    |sms|signal|reach(?:ed|able)?|contact|hotline|voicemail|answer(?:s|ed|ing)?|desk
    |(?:my|his|her|our|their|your|\w+'s)\ (?:new\ |old\ |work\ |home\ |office\ |private\ )?number
    |telefon\w*|handy\w*|rufnummer|anrufen|erreichbar|ruf\ mich|téléphone|portable|appel\w*|joindre|numéro
    |teléfono|móvil|celular|llám\w*|llamar|telefone|telemóvel|ligar|telefono|cellulare|chiam\w*
    |телефон\w*|мобильн\w*|звони\w*|позвон\w*|номер)\b
    |تلفن|موبایل|شماره|زنگ|هاتف|جوال|رقم|اتصل|फ़ोन|फोन|मोबाइल|नंबर|कॉल|电话|手机|電話|携帯|전화|휴대폰|טלפון|נייד""",
    re.VERBOSE,
)
# The word may come behind: 699 956 915 office.
_WORD_BEHIND = re.compile(
    r" ?[-(,]? ?(?:office|fax|mobile|cell|landline|whatsapp|is (?:my|his|her|our|their) (?:\w+ )?number)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(?:,\d\d?)? ?(?:(?:eur|usd|gbp|chf|dollars?|euros?|pounds?|people|users|units|km|kg|bytes?|rows"
    r"|points)\b|[€$£¥₹])",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\d:$")
_LONGEST_NATIONAL = 12
_TRIES = 4  # readings of one run of digits that are asked of the numbering plans: hostile text stays cheap


def phones(text: str, region: str | None = None) -> Iterator[Span]:
    """The telephone numbers of a folded text. `region` (ISO 3166, "PT") is where the user is: numbers as they
    are written there, in groups, then need no word before them."""
    left = blotted(text, (match.span() for other in _OTHERS for match in other.finditer(text)))
    place = 0
    while match := _CANDIDATE.search(left, place):
        found = _number(left, match, region)
        place = match.end()
        if found:
            yield found
            # What follows is read as if the number had not been there: in a list, a mark parts the two.
            place = found.end
            left = left[: found.start] + "\0" * (found.end - found.start) + left[place:]


def _number(text: str, match: re.Match[str], region: str | None) -> Span | None:
    said = before(text, match.start())
    named, other = last_place(_WORD, said), last_place(OTHER_NUMBER, said)
    written, extension = match.group(), ""
    if tail := _EXTENSION.search(written):
        written, extension = written[: tail.start()], f";{tail[1]}"
    tries = 0
    for start, end in _readings(written):
        part = written[start:end]
        kind = _form(part, region, other=other > named)
        # After a digit or a letter a plus may be a sum, or the blank of a web address.
        glued = text[match.start() + start - 1 : match.start() + start].isalnum()
        if not kind or (glued and other > named) or _is_of_another(text, match.start() + start, part):
            continue
        tries += 1
        if kind == "+":
            canonical = _international(part, sure=not glued)
        else:
            canonical = _national(part, region, sure=kind == "shape")
        if canonical:
            if kind == "plan" and start == 0 and _goes_on(written, end):
                return _span(match, 0, len(match.group()), re.sub(r"\D", "", written) + extension)
            if end == len(written):
                return _span(match, start, len(match.group()), canonical + extension)
            return _span(match, start, end, canonical)
        if tries == _TRIES:
            break
    is_named = named > other or (other < 0 and _WORD_BEHIND.match(text, match.end()))
    if is_named and _may_be_national(text, match, written):
        start = written.index("(") if written.count("(") < written.count(")") and "(" in written else 0
        canonical = _national(written, region, sure=True) or re.sub(r"\D", "", written)
        return _span(match, start, len(match.group()), canonical + extension)
    return None


def _may_be_national(text: str, match: re.Match[str], written: str) -> bool:
    """Whether a run of digits of no special form, beside a word, can be a telephone number."""
    if not 7 <= len(re.sub(r"\D", "", written)) <= 15 or _AMOUNT.match(text, match.end()):
        return False
    return not (
        _ROUND.search(written)
        or _RATIO.search(text, match.start() - 2, match.start())
        or _is_of_another(text, match.start(), written)
    )


def _is_of_another(text: str, start: int, part: str) -> bool:
    """Whether the digits are the thousands or the fraction of a longer number, such as +12.345.678.901,50."""
    digits = part.lstrip("(+")
    if _NORTH_AMERICAN.fullmatch(part) or (digits != part and " " in part):
        return False
    return is_part_of_number(text, start + len(part) - len(digits), start + len(part))


def _goes_on(written: str, end: int) -> bool:
    """Whether what stands behind a number is more of it: a longer one of a plan that was not asked."""
    rest = re.findall(r"\d+", written[end:])
    return bool(rest) and min(map(len, rest)) > 1 and sum(map(str.isdigit, written)) <= _LONGEST_NATIONAL


def _span(match: re.Match[str], start: int, end: int, canonical: str) -> Span:
    return Span(match.start() + start, match.start() + end, EntityType.PHONE, canonical)


def _readings(written: str) -> Iterator[tuple[int, int]]:
    """The run as a whole, then without groups at its end, and without groups of one or two digits at its
    start: "at 5 07700 900123 12 times", "0612345678/0612345679". After a plus, digits without a gap are no
    less than a number."""
    edges = [match.span() for match in re.finditer(r"[^ /]+", written)]
    if whole := _UNBROKEN.match(written):
        yield from dict.fromkeys(((whole.start(1), len(written)), whole.span(1)))
        return
    for first, (start, _) in enumerate(edges):
        if first and len(re.findall(r"\d", written[slice(*edges[first - 1])])) > 2:
            return
        for _, end in reversed(edges[first:]):
            if sum(map(str.isdigit, written[start:end])) >= 7:
                yield start + (written[start] == "(" and ")" not in written[start:end]), end


def _form(part: str, region: str | None, *, other: bool) -> str | None:
    """How a run of digits shows that it is a telephone number, if it does."""
    digits = re.sub(r"\D", "", part)
    if part.lstrip("(").startswith("+"):
        return "+"
    if other:
        return None
    if re.match(r"\(?00[1-9]", part) and len(digits) >= 11:
        return "+"
    if _NORTH_AMERICAN.fullmatch(part):
        return "shape" if part.count("-") or "(" in part or part.count(".") == 2 else "plan"
    if re.match(r"\(?0[1-9]", part) and 9 <= len(digits) <= 11 and not _is_isbn(part):
        return "plan"
    grouped = len(re.findall(r"\d+", part)) > 1 and not (_ROUND.search(part) or _DECIMAL.fullmatch(part))
    return "plan" if region and grouped else None


def _international(part: str, *, sure: bool = True) -> str | None:
    """The number in E.164 if its country's plan could hold it; where it is not `sure` to begin at its plus,
    and where it has no plus and no gap and may be the number of something else, if the plan does hold it."""
    import phonenumbers

    digits = re.sub(r"\D", "", part.replace("(0)", ""))
    try:
        number = phonenumbers.parse(f"+{digits.removeprefix('00')}", None)
    except phonenumbers.NumberParseException:
        return None
    if not sure or part.isdigit():
        held = phonenumbers.is_valid_number(number)
    else:
        reason = phonenumbers.is_possible_number_with_reason(number)
        held = reason == phonenumbers.ValidationResult.IS_POSSIBLE
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) if held else None


def _national(part: str, region: str | None, *, sure: bool) -> str | None:
    """The number in E.164 where its country is known: the user's, or one that writes 3-3-4. Elsewhere its
    digits, if it is valid in any plan: the country would be a guess, and two numbers of two countries must
    not become one. `sure`: its digits in any case."""
    import phonenumbers

    digits = re.sub(r"\D", "", part)
    trunk = part.lstrip("(").startswith("0")
    known = ((region,) if region else ()) + (() if trunk else ("US", "CA"))
    for plan in known + (TRUNK_REGIONS if trunk else ()):
        try:
            number = phonenumbers.parse(part, plan)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number_for_region(number, plan):
            form = phonenumbers.PhoneNumberFormat.E164
            return phonenumbers.format_number(number, form) if plan in known else digits
    return digits if sure else None


def _is_isbn(part: str) -> bool:
    """Whether it is an ISBN of ten digits as printed: four groups, the last a single check digit."""
    if not re.fullmatch(r"\d{1,5}[ -]\d{1,7}[ -]\d{1,7}[ -][\dX]", part):
        return False
    from stdnum import isbn

    return bool(isbn.is_valid(part))
