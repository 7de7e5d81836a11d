"""English words around expressions of time."""

from __future__ import annotations

from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

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
        Pattern(rf"(?:^|\W)(?:since (?:the (?:year )?)?{_PART_OF}|after (?:the )?{_BEGIN} of (?:the )?)$")
    ),
    after=Edge(Pattern(rf"(?:^|\W)after (?:the (?:year )?)?{_PART_OF}$")),
    before=Edge(Pattern(rf"(?:^|\W)(?:before|prior to) (?:the (?:year )?)?{_PART_OF}$")),
    until=Edge(
        Pattern(
            rf"(?:^|\W)(?:(?:until|till|up to) (?:the (?:year )?)?{_PART_OF}"
            rf"|before (?:the )?{_FINISH} of (?:the )?)$"
        )
    ),
    counted=Pattern(r"\w (?:day|week|month|year)s? (?:before|after|since|from) (?:the )?$"),
    week_of=Pattern(r"(?:^|\W)week (?:of|beginning|starting|commencing)(?: on)?(?: the)? $"),
    listed=Pattern(r",? (?:and|or) (?:on |in |from )?(?:the )?|, "),
    ranged=Pattern(
        rf" ?- ?| (?:to|through|until|till|up to) (?:the )?{_PART_OF}"
        r"|,? (?:and|but) (?:before|until|till|up to)(?: the)? "
    ),
    joined=Pattern(rf" and (?:the )?{_PART_OF}"),
    to_now=Pattern(r"(?: and| to| until| till| through| up to)(?: right)? now\b| (?:to|till) date\b"),
    between=Pattern(rf"(?:^|\W)between (?:the )?{_PART_OF}$"),
    present=Pattern(
        r"\b(?:will|won't|shall|should|would|can|could|might|must|am|is|are|do|does|don't|doesn't|going to"
        r"|want"
        r"|need|plan|let's)\b|\w'(?:ll|m|re)\b|\b(?:what|when|where|who)'s\b"
    ),
    past=Pattern(
        r"\b(?:did|didn't|was|wasn't|were|weren't|had|been|told|said|ago|do you (?:still )?(?:remember"
        r"|recall)"
        r"|(?:have|haven't|has|hasn't) (?:i|we|you|he|she|it|they|my|our|anything|anyone|there)"
        r"|went|gone|got|made|took|saw|seen|ate|bought|met|wrote|written|gave|spoke|came|felt|found|heard"
        r"|lost"
        r"|learnt|slept|spent|thought|ran|drank|sent|[^\W\d_]{2,}[^\We]ed)\b|\w've\b"
    ),
    telling=(
        Telling(
            before=Pattern(
                rf"{_I_SAID}(?: (?:anything|something|it|this|about me))?,?"
                r"(?: (?:back|in|on|during|over|within|throughout|at|from|between|since|after|before|until"
                r"|the"
                r"|year|month of|early|late|mid))* ?(?:mid-)?$"
            )
        ),
        Telling(
            before=Pattern(
                r"(?:^|[.!?;] )(?:(?:and|so|ok|hey|hi|also)\b,? )?"
                r"(?:(?:in|on|during|over|since|after|before|back|from|until)\b ?)*(?:the )?$"
            ),
            behind=Pattern(
                r"(?:'s)?,? (?:(?:what|which|who|where|when|how)(?: [\w']+){0,3} )?(?:(?:did|have|had) )?"
                rf"{_I_SAID}"
            ),
        ),
    ),
)
