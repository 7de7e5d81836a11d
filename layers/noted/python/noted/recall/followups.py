"""Whether a message can only be understood with what was said before it: "and what about her?", "why?", "the
second one".

By rules, in twelve languages, and precise before complete: a message that stands for itself costs no model
call, while one whose context is missed is searched for by its own words. A pronoun needs the conversation
where the message itself has named nobody before it that it could stand for.
"""

from __future__ import annotations

import re
from functools import cache

from noted.recall.followup_forms import EDGES, FORMS
from noted.recall.languages.recognition import language
from noted.text.folding import fold

LONGEST = 200  # characters; a longer message says what it is about

# Messages that are nothing but a question word, or ask for more of the same.
_BARE = frozenset(
    phrase.strip()
    for phrase in """
    why | why not | why is that | why so | how | how so | how come | when | where | who | whose | which
    | which one | which ones | what else | who else | where else | what about it | how much | how many
    | how long | how often | how old | since when | until when | like what | such as | for example
    | and then | then what | and | tell me more | more about that | anything else | what for | where to
    | where from | with whom | who with | at what time | what time | por qué | por qué no
    | por que | porqué | cómo
    | cuándo | dónde | quién | cuál | cuáles | qué más | cuánto | cuántos | desde cuándo | hasta cuándo
    | con quién | a qué hora | cuéntame más | y entonces | para qué | de quién | pourquoi | comment ça
    | quand | où | qui | lequel | laquelle | lesquels | quoi d'autre | combien | depuis quand
    | jusqu'à quand | avec qui | à quelle heure | et alors | et ensuite | dis-m'en plus
    | pour quoi faire | warum | wieso | weshalb | warum nicht | wann | wo | wer | wen | wem | wessen
    | welche | welcher | welches | was noch | wie viel | wie viele | wie lange | wie oft | wie alt
    | seit wann | bis wann | mit wem | wohin | woher | um wie viel uhr | und dann | erzähl mir mehr
    | wie kommt das | wozu | porquê | como assim | quando | onde | quem | qual | quais | o que mais
    | quanto | quantos | desde quando | com quem | a que horas | e depois | conta mais | para quê
    | perché | perché no | come mai | dove | chi | quale | quali | cos'altro | che altro | quanti
    | da quando | fino a quando | con chi | a che ora | e poi | dimmi di più | waarom | waarom niet
    | wanneer | waar | wie | welke | wat nog meer | hoeveel | hoe lang | hoe vaak | sinds wanneer
    | met wie | hoe laat | waarheen | en dan | vertel me meer | hoezo | почему | зачем | отчего
    | как так | когда | где | куда | откуда | кто | кого | кому | какой | какая | какие | который
    | что еще | что ещё | сколько | как долго | как часто | с каких пор | с кем | во сколько | а потом
    | и что | расскажи подробнее | なぜ | どうして | なんで | いつ | どこ | だれ | 誰 | どれ | どっち
    | 他には | ほかには | いくら | いくつ | いつから | 誰と | それで | もっと教えて | 为什么 | 為什麼
    | 怎么会 | 什么时候 | 什麼時候 | 哪里 | 哪裡 | 谁 | 誰 | 哪个 | 哪個 | 还有呢 | 還有呢 | 然后呢
    | 然後呢 | 多少 | 多久 | 多长时间 | 和谁 | 几点 | 详细说说 | لماذا | ليش | كيف | متى | أين | وين
    | من | أي واحد | ماذا أيضا | كم | منذ متى | مع من | وبعد ذلك | ثم ماذا | أخبرني المزيد | چرا
    | چرا نه | چطور | کی | کجا | چه کسی | کدام | کدوم | دیگه چی | دیگر چه | چقدر | چند تا | از کی
    | با کی | خب بعدش | بیشتر بگو
    """.replace("\n", " ").split("|")
)  # fmt: skip


def needs_conversation(message: str) -> bool:
    """Whether a message stands only with what was said before it."""
    if len(message) > LONGEST:
        return False
    folded = fold(message)
    core = folded.strip(EDGES)
    if not core:
        return False
    if core in _bare():
        return True
    # What is a whole message has too few words to tell its language by.
    if any(re.fullmatch(forms.ordinal, core) for forms in FORMS.values()):
        return True
    forms = FORMS.get(language(folded) or "")
    return forms is not None and forms.needs(folded.lstrip("¿¡ "), core, message.strip(EDGES + "\n\t"))


@cache
def _bare() -> frozenset[str]:
    return frozenset(fold(phrase) for phrase in _BARE)
