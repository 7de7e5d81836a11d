"""The words by which `noted.recall.followups` knows that a message goes on with what was said before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

EDGES = " .,!?:;…¿¡\"'«»。、？！؟،；(){}[]-"  # what may stand around a message
_FEW = 6  # words after "and": "and my brother?" lacks its verb, "and what is the capital of France?" does not


@dataclass(frozen=True)
class Forms:
    """Patterns over a folded message, by what they show.

    `opening` goes before a fragment of few words that lacks its verb; `asks` are words that make what follows
    a sentence. `about` is a fragment by itself, and `ordinal` a whole message. `person` and `thing`
    stand for somebody or something named before; `empty` says that a thing stands for nothing. `own` begins
    what the user says of themselves, and `names` are words after which the message itself names something.
    """

    opening: str
    asks: str
    about: str
    ordinal: str
    person: str
    names: str
    thing: str = r"(?!)"
    empty: str = r"(?!)"
    own: str = r"(?!)"
    spaced: bool = True

    def needs(self, asked: str, core: str, original: str) -> bool:
        """Whether a message has any of them: as it was asked, without the marks around it, and unfolded."""
        if re.search(self.about, asked) or self._is_fragment(asked, core):
            return True
        if re.search(rf"^(?:{self.own})", core):
            return False
        pronoun = self._found(self.person, core)
        if pronoun is None and not re.search(self.empty, core):
            pronoun = self._found(self.thing, core)
        if pronoun is None:
            return False
        return self._found(self.names, core[: pronoun.start()]) is None and not _names(original)

    def _is_fragment(self, asked: str, core: str) -> bool:
        opened = re.match(rf"(?:{self.opening})[ ,]+", core)
        if opened is None or asked[-1] not in "?؟":
            return False
        rest = core[opened.end() :]
        return len(rest.split()) <= _FEW and self._found(self.asks, rest) is None

    def _found(self, pattern: str, text: str) -> re.Match[str] | None:
        return re.search(rf"\b(?:{pattern})\b" if self.spaced else pattern, text)


def _names(original: str) -> bool:
    """Whether a word that does not begin the message is capitalised: a name, a German noun, a "Sie"."""
    later = (word.strip(EDGES) for word in original.split()[1:])
    return any(word[:1].isupper() and len(word) > 1 for word in later)


FORMS = {
    "en": Forms(
        opening="and|but|or|so|then|also|ok and|okay and",
        asks=(
            "is|are|was|were|am|do|does|did|can|could|will|would|should|shall|may|might|must|has|have|had"
            "|tell|show|give|list"
            "|make|write|find|remind|help|remember|please"
        ),
        about=(
            r"^(?:and |but |so |ok |okay |then )*(?:what|how) about (?!we\b|i\b|you\b|if\b"
            r"|let)(?:\S+ ?){1,6}\?*$"
            r"|^(?:and |but )?(?:the )?same (?:thing )?(?:for|with|as) (?:\S+ ?){1,5}$"
        ),
        ordinal=(
            r"(?:(?:and|but|no|ok|i mean|what about|maybe),? )*(?:the|that|this|another"
            r"|my) (?:(?:very )?(?:first|second|third"
            r"|fourth|last|next|previous|other|latter|former|same|right|left|cheaper|bigger"
            r"|smaller)(?: ones?)?|one)"
            r"|(?:both|all|none|neither|either|one|two|some) of (?:them|these|those)|neither"
            r"|the other way round"
        ),
        person=r"he|him|his|she|her|hers|they|them|their|theirs",
        thing=(
            r"(?<=^why is )it|(?:that|this|those|these)(?= (?:again|happen\w*|mean|cost|work)$|$)"
            r"|it(?=$| (?:cost|costs|happen|mean|work|called|again|for|with|about|there)\b)|its"
        ),
        empty=(
            r"\bwhat time\b|\b(?:is|was|will|would|can) it\b.*\b(?:to|that|if|rain\w*|snow\w*|cold|hot|warm"
            r"|late|early|time|ok|okay)\b"
            r"|\bit'?s? (?:going to )?(?:rain|snow|be)|\bhow (?:is|was|goes) it\b|\b(?:like|do|did|done|stop"
            r"|get|make|take) (?:that|this|it)$"
            r"|\b(?:think|know|guess|hope|mean|say|believe) (?:that|so)\b|\bthank\w*\b"
        ),
        own=r"(?:i|we|my)\b",
        names=(
            r"my|our|your|the|an?|this|these|those|some|every|each|any|no|who|whoever|somebody|someone"
            r"|everybody|everyone|people"
            r"|anybody|anyone|nobody|(?!(?:what|who|where|when|how|why|it|that|there|here|he|she)')\w+'s"
        ),
    ),
    "es": Forms(
        opening="y|e|pero|o|u|entonces|y entonces",
        asks="qué|cómo|cuándo|dónde|quién|cuál|cuánt[oa]s?|es|está|son|hay|tengo|puedes|puedo|quiero|dime"
        "|fue|era",
        about=r"^(?:y |pero )?(?:qué (?:hay|pasa|tal) (?:de|con)|qué me dices de|en cuanto a"
        r"|lo mismo (?:para|con)) (?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:y|pero|no|mejor),? )*(?:el|la|los|las|ese|esa|este|esta) (?:primer[oa]s?|segund[oa]"
            r"|tercer[oa]|últim[oa]s?|otr[oa]s?"
            r"|mism[oa]s?|siguientes?|anterior(?:es)?|de (?:antes|arriba|abajo))|(?:las|los) dos"
            r"|ningun[oa] de (?:ell[oa]s|los dos)|amb[oa]s"
        ),
        person=r"él|ella|ellos|ellas",
        thing=r"eso(?=$)|ésa?|aquello",
        empty=r"\b(?:por|para|en|todo) eso\b|\bgracias\b",
        own=r"(?:yo|mi|me)\b",
        names=r"mi|mis|nuestr[oa]s?|tus?|el|la|los|las|una?|unos|unas|este|esta|cada|quien|alguien|nadie",
    ),
    "fr": Forms(
        opening="et|mais|ou|alors|et alors|donc",
        asks="que|qu|qu'est|quoi|comment|quand|où|qui|quel|quelle|combien|est|sont|était|ai|as|a|peux|dois"
        "|y a|dis",
        about=r"^(?:et |mais )?(?:qu'en est-il|quid|et pour|pareil pour|la même chose pour)(?: de| du| des"
        r"| d'| pour)? ?(?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:et|mais|non|plutôt),? )*(?:l[ea] |les |l'|cet(?:te)? |ce )(?:premi(?:er|ère)s?|deuxième"
            r"|seconde?|troisième|derni(?:er|ère)s?"
            r"|autres?|même|suivante?|précédente?)|cel(?:ui|le)(?:-ci|-là)|ceux-(?:ci|là)|les deux"
            r"|aucun des deux"
        ),
        person=(
            r"il(?! (?:y|faut|faudra|pleut|neige|fait|est (?:\d|une|possible|vrai|temps|tard|tôt|important"
            r"|nécessaire)))(?<!y a-t-il)"
            r"(?<!fait-il)(?<!faut-il)(?<!s'il)(?<!heure est-il)(?<!est-il(?= (?:possible|vrai|normal|\d)))"
            r"|elle|ils|elles|lui|leurs?|eux"
        ),
        thing=r"ça(?=$)|cela(?=$)",
        empty=r"\bquelle heure\b|\bmerci\b|\b(?:comme|pour|avec|va|sur) (?:ça|cela)\b",
        own=r"(?:je|mon|ma|j')\b",
        names=r"mon|ma|mes|notre|nos|ton|ta|tes|votre|vos|le|la|les|une?|des|ce|cet|cette|ces|chaque|qui"
        r"|quelqu'un|personne",
    ),
    "de": Forms(
        opening="und|aber|oder|dann|also|und dann|ok und",
        asks="was|wie|wann|wo|wer|wen|wem|warum|welche[rsnm]?|ist|sind|war|habe|hat|kann|kannst|soll|muss"
        "|gibt|zeig|sag",
        about=(
            r"^(?:und |aber )?(?:was ist mit|wie (?:sieht es|steht es|ist es) (?:mit|bei)|das gleiche (?:für"
            r"|mit)|dasselbe (?:für|mit))"
            r" (?:\S+ ?){1,6}\?*$"
        ),
        ordinal=(
            r"(?:(?:und|aber|nein|lieber|doch),? )*(?:de[rnm]|die|das|diese[rsn]?) (?:(?:aller)?erste|zweite"
            r"|dritte|letzte|andere|gleiche|nächste"
            r"|vorige)[nrs]?|beides?|alle beide|keine[rs]? von (?:beiden|ihnen)|dieselben?|derselbe"
            r"|letztere[rsn]?|erstere[rsn]?"
        ),
        person=r"er|ihm|ihn|(?<!en )(?<!nd )sie(?! \w+(?:en|nd|ln|rn)\b)|deren|dessen",
        thing=r"das(?=$)",
        empty=r"\bdanke\b|\b(?:ist|mach|weiß|heißt|stimmt|geht|kann|kannst du|willst du|war) das$",
        own=r"(?:ich|mein|meine|wir)\b",
        names=r"mein\w*|unser\w*|dein\w*|euer|eure\w*|der|die|das|den|dem|des|ein\w*|diese\w*|jede\w*|wer"
        r"|jemand|niemand",
    ),
    "pt": Forms(
        opening="e|mas|ou|então|e então",
        asks="que|o que|como|quando|onde|quem|qual|quant[oa]s?|é|está|são|há|tenho|pode|posso|quero|diz|foi"
        "|era",
        about=r"^(?:e |mas )?(?:quanto a|e quanto a[os]?|que tal|o mesmo (?:para|com)) (?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:e|mas|não|melhor),? )*(?:[oa]s?|ess[ea]|est[ea]) (?:primeir[oa]s?|segund[oa]|terceir[oa]"
            r"|últim[oa]s?|outr[oa]s?|mesm[oa]s?"
            r"|seguintes?|anterior(?:es)?)|(?:os dois|as duas)|nenhum[a]? d(?:os dois|as duas|eles|elas)"
            r"|amb[oa]s"
        ),
        person=r"ele|ela|eles|elas|dele|dela|deles|delas",
        thing=r"isso(?=$)",
        empty=r"\b(?:por|para|com) isso\b|\bobrigad[oa]\b",
        own=r"(?:eu|meu|minha)\b",
        names=r"meus?|minhas?|nosso?s?|nossas?|teus?|tuas?|[oa]s?(?! \w+ $)|uma?|uns|umas|este|esta|cada"
        r"|quem|alguém|ninguém",
    ),
    "it": Forms(
        opening="e|ma|o|allora|e allora|quindi",
        asks="che|cosa|come|quando|dove|chi|quale|quali|quant[oiae]|è|sono|c'è|ho|hai|puoi|posso|voglio"
        "|dimmi|era",
        about=r"^(?:e |ma )?(?:che mi dici di|che ne è di|per quanto riguarda|lo stesso (?:per|con)"
        r"|e per) ?(?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:e|ma|no|meglio),? )*(?:il |lo |la |i |gli |le |l'|quell[oa] |quest[oa] )(?:prim[oaie]"
            r"|second[oa]|terz[oa]|ultim[oaie]|altr[oaie]"
            r"|stess[oaie]|precedente|prossim[oa])|entramb[ie]|tutti e due|nessuno dei due"
        ),
        person=r"lui|loro|essa|essi|ella|lei(?= (?:abita|vive|lavora|fa|ha|è|era|sta)\b)",
        thing=r"quello(?=$)",
        empty=r"\bgrazie\b",
        own=r"(?:io|mio|mia)\b",
        names=r"mi[oae]|miei|nostr[oaie]|tu[oae]|tuoi|il|lo|la|i|gli|le|un|uno|una|quest[oa]|ogni|chi"
        r"|qualcuno|nessuno",
    ),
    "nl": Forms(
        opening="en|maar|of|dan|dus|en dan",
        asks="wat|hoe|wanneer|waar|wie|welke?|waarom|is|zijn|was|heb|heeft|kan|kun|moet|mag|zeg|vertel",
        about=r"^(?:en |maar )?(?:hoe zit het met|hoe is het met|wat (?:is er )?met"
        r"|hetzelfde voor) (?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:en|maar|nee|liever|toch),? )*(?:de|het|die|dat|deze|dit) (?:eerste|tweede|derde|laatste"
            r"|andere?|zelfde|volgende|vorige)"
            r"|allebei|beide|geen van beide(?:n)?|dezelfde|hetzelfde|die (?:ene|daar)"
        ),
        person=r"hij|hem|zij|haar|hen|hun",
        thing=r"dat(?=$)",
        empty=r"\bbedankt\b|\b(?:is|kan|weet|zou|was|mag) dat$",
        own=r"(?:ik|mijn|we|wij)\b",
        names=r"mijn|ons|onze|jouw|je|uw|de|het|een|deze|dit|die|elke?|wie|iemand|niemand",
    ),
    "ru": Forms(
        opening="а|и|но|или|тогда|ну а|а как",
        asks="что|как|когда|где|куда|кто|кого|почему|какой|какая|какие|сколько|есть|можно|нужно|скажи|покажи"
        "|был|была|ли",
        about=r"^(?:а |и |но |ну )?(?:(?:что|как) (?:насчет|насчёт|касательно|с)|а как же"
        r"|то же (?:самое )?(?:для|с)) (?:\S+ ?){1,6}\?*$",
        ordinal=(
            r"(?:(?:а|и|но|нет|лучше),? )*(?:(?:тот|та|то|те|этот|эту|ту) )?(?:перв|втор|трет|последн|друг"
            r"|следующ|предыдущ)(?:ый|ой|ий|ая|ую|ое|ье|ья|ью|юю|яя|ее|ие|ые)"
            r"|(?:тот|та|то|те|ту) (?:же|самый|самая|другой|другая)|оба|обе|ни (?:тот|та) ни (?:другой"
            r"|другая)"
        ),
        person=r"он|она|они|его|е[ёе]|ему|ей|им|их|нему|ней|ним|них|нём|нем",
        thing=r"этого|это(?=$)",
        empty=r"\bспасибо\b|\bпоэтому\b|\bчто это$|\bкто это$",
        own=r"(?:я|мой|моя|мы|у меня)\b",
        names=r"мо\w{1,2}|моего|моей|моему|наш\w*|тво\w{1,2}|ваш\w*|кажд\w+|кто|кто-то|никто|эт(?:от|а"
        r"|и) \w+|\w+(?:ов|ев|ин)",
    ),
    "ja": Forms(
        opening="じゃあ|では|それで|で|あと",
        asks="何|いつ|どこ|誰|なぜ|どう",
        about=r"^(?:じゃあ|では|それでは|で|あと)?、?[^。、?]{1,12}(?:は|の方は|については)(?:どう(?:ですか"
        r"|でしょう|なの)?|どうだった)?[?？]$",
        ordinal=r"(?:じゃあ|やっぱり|いや)?、?(?:[一二三四1-4]番目|最初|最後|前者|後者|もう(?:一|1)つ|別"
        r"|同じ|他|両方|どちらも)(?:の(?:もの|やつ|ほう|方)?)?(?:です|は)?",
        person=r"彼女?ら?(?=は|が|を|の|に|って|も|と)",
        thing=r"(?:その(?:人|こと|後|時)|それ|あれ|そこ)(?=は|が|を|の|って|も)",
        empty=r"それでは|ありがとう",
        own=r"私|僕",
        names=r"(?!)",
        spaced=False,
    ),
    "zh": Forms(
        opening="那|那么|还有",
        asks="什么|哪|谁|怎么|为什么|多少|几|吗",
        about=r"^(?:那么?|还有|還有)?[^。,?？]{1,10}呢[?？]*$",
        ordinal=r"(?:那|还是|不,?)?(?:第[一二三四]个|第[一二三四]個|另(?:外)?一[个個]|最后一个|最後一個|前者"
        r"|后者|後者|两个都|都不是|同样的|那个|那個)",
        person=r"(?<![其吉])他(?!人)|她",
        thing=r"它|那(?:件事|个人|個人|时候|里|裡)",
        empty=r"谢谢|謝謝",
        own=r"我",
        names=r"(?!)",
        spaced=False,
    ),
    "ar": Forms(
        opening="و|لكن|أو|طيب و",
        asks="ما|ماذا|كيف|متى|أين|من|هل|كم|لماذا",
        about=r"^و?(?:ماذا|وماذا|ايش|شو) عن (?:\S+ ?){1,6}[?؟]*$|^ونفس الشيء (?:مع|ل)",
        ordinal=r"(?:لا )?(?:ال(?:أول|أولى|ثاني|ثانية|ثالث|ثالثة|آخر|أخرى|أخير|أخيرة|سابق|سابقة))|كلاهما"
        r"|كلتاهما|نفسه|نفسها",
        person=r"(?<!ما )(?<!من )(?:هو|هي|هم|هن)|(?:عن|ل|مع|من|ب|اسم|عند|عمر|رقم|في)(?:ه|ها|هم)",
        own=r"(?:أنا|عندي|لدي|شكرا)\b",
        names=r"\w*(?:ي|نا|ك)|ال\w+|كل",
    ),
    "fa": Forms(
        opening="و|اما|ولی|یا|پس|خب",
        asks="چه|چی|چطور|کی|کجا|چرا|آیا|کدام|چند|چقدر",
        about=r"^(?:و |خب |پس )?(?:\S+ ){1,4}(?:چطور|چی)[?؟]+$|^(?:و )?در ?(?:مورد"
        r"|باره ?ی?) (?:\S+ ?){1,4}(?:چی|چطور)[?؟]*$",
        ordinal=r"(?:نه )?(?:اولی|دومی|سومی|آخری|اون یکی|آن یکی|همون|همان|قبلی|بعدی|هر دو|هردو|هیچ کدام)",
        person=r"او|اون|اونا|آنها|انها|ایشان|ازش|بهش|باهاش|اسمش",
        own=r"(?:من|ما|ممنون|مرسی)\b",
        names=r"\w+(?:م|مان|مون)|این|آن|هر|کسی",
    ),
}
