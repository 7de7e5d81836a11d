"""English words around expressions of time."""

from __future__ import annotations

import re

from noted.recall.speech import Edge, Speech, Telling

_BEGIN, _FINISH = r"(?:start|beginning)", r"end"
_PART_OF = rf"(?:(?:early|mid|late)[ -]|(?:the )?(?:{_BEGIN}|middle|{_FINISH}) of (?:the )?)?"
_SAID = (
    r"(?:(?:ever|already|first|last|actually) )?(?:(?:tell|told) you"
    r"|(?:say|said|mention|mentioned|share|shared|note|noted)(?: (?:to|with) you)?"
    r"|(?:ask|asked) you)"
)
_DISCUSSED = r"(?:(?:talk|talked|speak|spoke|spoken|chat|chatted)(?: about)?|discuss|discussed)"
_I_SAID = rf"\b(?:i(?:'ve|'d| have| had)? {_SAID}|we(?:'ve|'d| have| had)? {_DISCUSSED})"

ENGLISH = Speech(
    since=Edge(
        re.compile(rf"(?:^|\W)(?:since (?:the (?:year )?)?{_PART_OF}|after (?:the )?{_BEGIN} of (?:the )?)$")
    ),
    after=Edge(re.compile(rf"(?:^|\W)after (?:the (?:year )?)?{_PART_OF}$")),
    before=Edge(re.compile(rf"(?:^|\W)(?:before|prior to) (?:the (?:year )?)?{_PART_OF}$")),
    until=Edge(
        re.compile(
            rf"(?:^|\W)(?:(?:until|till|up to) (?:the (?:year )?)?{_PART_OF}"
            rf"|before (?:the )?{_FINISH} of (?:the )?)$"
        )
    ),
    counted=re.compile(r"\w (?:day|week|month|year)s? (?:before|after|since|from) (?:the )?$"),
    week_of=re.compile(r"(?:^|\W)week (?:of|beginning|starting|commencing)(?: on)?(?: the)? $"),
    listed=re.compile(r",? (?:and|or) (?:on |in |from )?(?:the )?|, "),
    ranged=re.compile(
        rf" ?- ?| (?:to|through|until|till|up to) (?:the )?{_PART_OF}"
        r"|,? (?:and|but) (?:before|until|till|up to)(?: the)? "
    ),
    joined=re.compile(rf" and (?:the )?{_PART_OF}"),
    to_now=re.compile(r"(?: and| to| until| till| through| up to)(?: right)? now\b| (?:to|till) date\b"),
    between=re.compile(rf"(?:^|\W)between (?:the )?{_PART_OF}$"),
    present=re.compile(
        r"\b(?:will|won't|shall|should|would|can|could|might|must|am|is|are|do|does|don't|doesn't|going to"
        r"|want"
        r"|need|plan|let's)\b|\w'(?:ll|m|re)\b|\b(?:what|when|where|who)'s\b"
    ),
    past=re.compile(
        r"\b(?:did|didn't|was|wasn't|were|weren't|had|been|told|said|ago|do you (?:still )?(?:remember"
        r"|recall)"
        r"|(?:have|haven't|has|hasn't) (?:i|we|you|he|she|it|they|my|our|anything|anyone|there)"
        r"|went|gone|got|made|took|saw|seen|ate|bought|met|wrote|written|gave|spoke|came|felt|found|heard"
        r"|lost"
        r"|learnt|slept|spent|thought|ran|drank|sent|[^\W\d_]{2,}[^\We]ed)\b|\w've\b"
    ),
    telling=(
        Telling(
            before=re.compile(
                rf"{_I_SAID}(?: (?:anything|something|it|this|about me))?,?"
                r"(?: (?:back|in|on|during|over|within|throughout|at|from|between|since|after|before|until"
                r"|the"
                r"|year|month of|early|late|mid))* ?(?:mid-)?$"
            )
        ),
        Telling(
            before=re.compile(
                r"(?:^|[.!?;] )(?:(?:and|so|ok|hey|hi|also)\b,? )?"
                r"(?:(?:in|on|during|over|since|after|before|back|from|until)\b ?)*(?:the )?$"
            ),
            behind=re.compile(
                r"(?:'s)?,? (?:(?:what|which|who|where|when|how)(?: [\w']+){0,3} )?(?:(?:did|have|had) )?"
                rf"{_I_SAID}"
            ),
        ),
    ),
)
