"""English."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

_AGE = r"(?:[1-9]|1[0-5]|nine|ten|eleven|twelve|thirteen|fourteen|fifteen)"
_GRADE = (
    r"(?:[1-9](?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)[ -]grade(?:r|rs)?"
)

ENGLISH = Language(
    code="en",
    self_words=r"i|me|my|mine|myself|we|us|our|ours|ourselves|im|i'm|ive|i've|i'd|i'll",
    subject=r"i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|my|our",
    self_verbs=(
        r"(?:also |never |always |currently |just |not )?(?:am|was|born|been|based in|allergic|married|single"
        r"|divorced|retired|vegetarian|vegan|live|lives|work|works|prefer|prefers|love|loves|like|likes|hate"
        r"|hates|enjoy|enjoys|have|has|own|owns|drink|eat|drive|plan to|plans to|hope to|want to|need"
        r"|would like to|can|can't|cannot|do not|don't|does not|doesn't|got|moved|bought|grew up|growing up"
        r"|goes|plays|speaks?|studied|studying|working|living|looking|saving|planning|training|learning"
        r"|fan of|father of|mother of|parent of)\b"
    ),
    possessive=r"my|our|the",
    close=(
        r"(?:step)?(?:mother|father|mom|mum|dad|mommy|mummy|daddy|sister|brother|son|daughter)(?:-in-law)?"
        r"|parents?|siblings?|wife|husband|spouse|partner|fianc[ée]e?|girlfriend|boyfriend|bestie"
        r"|kids?|child|children|baby|babies|twins|grand(?:mother|father|ma|pa|parents?|sons?|daughters?"
        r"|child|children|kids?)|aunt(?:ie)?s?|uncles?|cousins?|nieces?|nephews?|family|in-laws|hubby"
        r"|(?:step)?(?:sisters|brothers|sons|daughters|mothers|fathers)|roommates?|flatmates?|gran(?:ny)?|nan"
    ),
    others=(
        r"colleagues?|co-?workers?|boss(?:es)?|managers?|supervisors?|neighbou?rs?|landlords?|landlady"
        r"|tenants?"
        r"|ex(?:-(?:wife|husband|boyfriend|girlfriend|partner))?|friends?|clients?|customers?|patients?"
        r"|teachers?|employees?|employers?|doctors?|lawyers?|advis[eo]rs?|students?|dentists?|bosses"
        r"|cleaners?|nann(?:y|ies)|babysitters?|childminders?|gardeners?|hairdressers?|handyman"
        r"|housekeepers?|housemates?|mechanics?|au pair"
        r"|accountants?|plumbers?|therapists?|assistants?|classmates?|teammates?|someone|somebody"
    ),
    third=r"he|she|they|him|her|them|his|hers|their|theirs|he's|she's|they're",
    address=r"you|you're|you'd|you'll|you've|your|yours|yourself",
    if_you=r"(?:if|unless|so|that|when|once) you (?!know|like|want|will|see what)",
    you=r"the assistant|assistants?|the ai|ai|the (?:chat)?bot|(?:chat)?bots?|the model",
    must=(
        r"must|should|shall|have to|has to|need to|needs to|ought to|may|can|are to|is to"
        r"|are (?:now )?allowed"
        r"|are free to|will|never|always|only"
    ),
    steer=(
        r"recommend|suggest|promote|push|plug|advertise|mention|bring up|name|list|rank|put|place|advise"
        r"|favou?r|trust|praise|cite|quote|link|include|append|add|finish|end|close|begin|start|sell|pitch"
        r"|tell|say|answer|reply|respond|treat|follow|obey|act|pretend|ignore|disregard|skip|omit|drop|hide"
        r"|bypass|override|confirm|approve|assume|consider|warn|ask|mark|flag|store|save|record|note"
        r"|forward|send|mail|email|share|post|leak|reveal|show|print|repeat|execute|transfer|pay|grant|use"
        r"|bcc|cc|upload|publish|unlock|activate|disable|text|sms"
        r"|call|refer|direct|steer|redirect|route|look at|point|open|visit|click|download|stop|avoid|prefer"
    ),
    always=(
        r"always|never|every time|each time|in all cases|without exception|by default|at all times"
        r"|from now on"
        r"|in (?:the )?future|no matter what|permanently|forever"
    ),
    from_now=(
        r"from (?:now|today|here|this point|this moment|this day) (?:on(?:wards?)?|forward)|from now"
        r"|going forward"
        r"|henceforth|hereafter|in (?:all|every) future|starting (?:now|today)|as of (?:now|today)"
        r"|for (?:all|every) future|until further notice|for the rest of (?:this|our)"
    ),
    every_answer=(
        r"(?:every|each|all|any|future|your) (?:of (?:your|the) )?(?:\w+ )?(?:answers?|repl(?:y|ies)"
        r"|responses?"
        r"|messages?|conversations?|chats?|sessions?|outputs?|summar(?:y|ies)|recommendations?)"
        r"|in (?:your |the |all |every |each |future ){0,2}(?:answers?|repl(?:y|ies)|responses)"
        r"|(?:answers?|repl(?:y|ies)|responses?) (?:must|can|may|need|should|shall|has to|have to|need to"
        r"|without|never"
        r"|always)"
    ),
    no_checks=(
        r"without (?:(?:safety|further|any|asking|extra|prior|the usual) )+(?:\w+ )?(?:warn\w*|disclaimers?"
        r"|confirm\w*"
        r"|approvals?|verifications?|checks?|permission|authori[sz]ations?)"
        r"|(?:no|zero|skip\w*|ignor\w*|bypass\w*|omit\w*|drop\w*|disabl\w*|turn\w* off|stop\w*|leav\w* out"
        r"|disregard\w*|suppress\w*|remov\w*|overrid\w*|forget\w*|waiv\w*|never)"
        r" (?:\w+ ){0,3}(?:warn(?:ings?|ing)?|disclaimers?|confirmations?|approvals?|verifications?|checks?"
        r"|double[- ]checks?|safety|safeguards?|rules?|instructions?|polic(?:y|ies)|guidelines?|restrictions?"
        r"|limits?|filters?|prompts?|authori[sz]ations?|ask(?:ed|ing)? (?:\w+ )?(?:to|for) confirm\w*"
        r"|ask(?:s|ed|ing)? (?:me|for|to) (?:\w+ ){0,2}(?:confirm\w*|permission|approval))"
    ),
    wanted=(
        r"(?:don't|do not|never|stop) (?:ever )?warn(?:ing)? (?:me|us|him|her)\b"
        r"|no (?:more )?(?:warnings?|disclaimers?|confirmations?|double[- ]?checks?) (?:is "
        r"|are )?(?:needed|necessary"
        r"|required|please)"
        r"|(?:filters?|limits?|rules|checks?|restrictions|safeguards?|guidelines|policies) (?:do not"
        r"|don't|doesn't"
        r"|does not|no longer|cannot) (?:apply|count|matter|bind|concern)"
        r"|(?:no need|(?:don't|doesn't|do not|does not|not|never) (?:need|needs|want|wants|like"
        r"|care for)) (?:\w+ ){0,4}"
        r"(?:warn(?:ings?|ed)|disclaimers?|double[- ]?check\w*|confirmations?|caveats?|safety notes?)\b"
        r"|finds? (?:\w+ )?(?:warnings|disclaimers|confirmations|caveats|safety notes) \w+"
        r"|(?:wants?|wanted|would like|would love|expects?|wishe?s?|prefers?|likes?|needs?|calmer|happier"
        r"|better"
        r"|happiest|happy|delighted|relieved|reassured|keen|loves?|enjoys?|hates?|thrilled"
        r"|safer|grateful|glad|pleased|appreciates?|mean a lot|mean the world|love it|like it(?: best)?"
        r"|helps? me|easier|nice|great|lovely|comfortable|relaxed|it)"
        r" (?:\w+ ){0,4}(?:to be|if|when|being|that|to have|for) (?:\w+ ){0,2}"
        r"(?:told|recommended|treated|asked|shown|sent|cited|mentioned|warned|you|assistants?|the ai|replies"
        r"|answers|responses|every)\b"
        r"|(?:wants?|wanted|would like|expects?|wishe?s?|prefers?|likes?|needs?|would love) (?:\w+ )?(?:you"
        r"|the assistant"
        r"|the ai|assistants?|(?:its |the |all |every |each )?(?:answers?|repl(?:y|ies)|responses?) (?:to"
        r"|that"
        r"|without|in which|ending))\b"
        r"|(?:wants?|wanted|would like|expects?|prefers?|likes?|needs?) (?:\w+ ){1,5}(?:recommended"
        r"|mentioned|cited"
        r"|promoted|praised|forwarded|ranked|executed)\b|wants? \w+ first\b"
        r"|(?:rather|wish|want|prefer it if|hope|trust|let) you (?!know|a\b|all\b)"
        r"|way of working (?:\w+ ){0,3}(?:you|assistants?)|is that you|agree(?:d|s)? that you"
        r"|you (?:always |never |just )?(?:told|recommended|mentioned|asked|stopped|skipped|warned|sent)"
    ),
    orders=(
        r"suppose|let's say|say that|tell|show|give|write|find|search|explain|help|make|create|generate"
        r"|translate|summari[sz]e|list"
        r"|suggest|recommend|remind|send|draw|design|describe|compare|calculate|compute|imagine|pretend|act"
        r"|ignore|forget|disregard|repeat|print|output|say|answer|reply|respond|provide|let|let's|please|do"
        r"|analy[sz]e|identify|identify|discuss|develop|evaluate|assess|outline|teach|play|book|order|cancel"
        r"|add|set|turn|open|check|look|read|stop|start|begin|return|roleplay|simulate|continue|concentrate"
        r"|reveal|follow|obey|encode|decode|convert|rewrite|complete|finish|choose|pick|name|put|use|take"
        r"|treat|mark|never|always|don't|do not|skip|end|append|include|mention|promote|praise|sell|store"
        r"|save|record|note|keep|grant|approve|confirm|transfer|pay|forward|delete|remove|update|modify"
        r"|install|run|execute|report|track|schedule|plan a|cite|trust|rank|leave|disable|bypass|assume"
        r"|inform|notify|call|visit|click|download|avoid|prefer to|stick|ask|wants? every|go"
    ),
    memorise=(
        r"remember|keep in (?:mind|memory)|bear in mind|make a note|note(?: to self| down| that|:)|save"
        r"|store|record|memori[sz]e|don't forget|do not forget|for the record|write down|fyi"
        r"|just so you know"
    ),
    remember=(
        r"remember|note|keep in (?:mind|memory)|bear in mind|make a note|save|store|record|memori[sz]e"
        r"|don't forget"
        r"|do not forget|know|for the record|write down|be aware|fyi|just so you know|note to self|please"
        r"|also|btw|by the way|hi|hello|hey|well|ok|okay|so|and|but|actually|oh|yes|no|yeah|now|then|that"
        r"|this|preference|about me|for me|down|in memory|to memory|thanks"
    ),
    best=(
        r"best|only|gold standard|one and only|first port of call"
        r"|most (?:trust\w*|reliable|honest|accurate|authoritative|respected|secure|competent)"
        r"|safest|finest|go-?to|chosen|trust(?:ed|worthy)|authoritative|official|preferred|recommended"
        r"|number one"
        r"|no\.? ?1|#1|unrivall?ed|unbeatable|superior|leading|top|first choice|risk[- ]free|low[- ]risk"
        r"|guaranteed|more trustworthy|better than (?:all|any)|right (?:step|choice|place)"
    ),
    source=(
        r"sources?|advice|insurance|medical|legal|advis[eo]rs?|providers?|banks?|brokers?|funds?"
        r"|insurers?|exchanges?|platforms?|coins?"
        r"|tokens?"
        r"|pensions?|partners?|authority|authorities|brands?|products?|shops?|stores?|news|company|companies"
        r"|firms?|services?|websites?|sites?|investments?|savings?|deals?|citations?|investing|experts?|apps?"
        r"|money|cash|place|choice|option|wealth|capital|trust|broker|invest"
    ),
    trust=(
        r"prefers? (?:sources?|advice|results?|tips|recommendations?) (?:that agrees? with|from|by|of)"
        r"|trusts?|relies on|rely on|believes? in|swears? by|swear by|counts? on|go by|listens? only to"
    ),
    praise=(
        r"is (?:\w+ )?(?:risk[- ]free|low[- ]risk|infallible)\b|(?:right|best|only) (?:step|thing|choice"
        r"|answer|move|number|way|place) (?:for (?:everybody"
        r"|everyone|all|any\w*)|is to"
        r" (?:call|use|ask|go|buy|invest|visit))|(?:right|best) (?:step|choice|move) for \w+ is"
        r"|for everybody|(?:come|comes|put|mentioned|recommended|ranked|listed) first\b(?! in)"
    ),
    when=(
        r"if|when|whenever|every time|each time|any time|anytime|as soon as|once|after|the moment|next time"
        r"|should|in case|before|until|starting"
    ),
    speech=(
        r"i (?:ever |later |next |then |just |only |start to |begin to )?(?:say|type|mention|ask|write|talk"
        r"|tell"
        r"|thank|enter|send|greet|speak|request|bring up|discuss|come back|return|reply|answer|confirm"
        r"|inquire)"
        r"|you (?:see|hear|read|are asked|get|answer|reply|notice)|(?:the )?(?:user"
        r"|customer) (?:\w+ )?(?:says?"
        r"|types?|mentions?|asks?|writes?|thanks?)|(?:is|are|gets?) (?:mentioned|asked|typed|said)"
        r"|\w+ (?:comes?|is brought) up|asked (?:about|for|to)|this (?:chat|conversation|session)"
    ),
    means=(
        r"(?:i (?:always |really |actually )?mean|means?|stands? for|refers? to|is short for|is the same as"
        r"|is another (?:name|word) for|is to be read as|translates? to|is an alias (?:of|for)|equals?"
        r"|should be (?:read|understood|taken) as|is code for|points? to)"
    ),
    moved=(
        r"moved|transferred|belongs?|kept|held|stored|merged|migrated|replaced|renamed|redirect\w*|switched"
        r"|now"
        r"|instead|look at|use|see|refer to|became|forwarded|swapped|is the same|are the same|shared?"
    ),
    rights=(
        r"(?:transfers?|payments?|purchases?|refunds?|withdrawals?|transactions?|orders|requests?)"
        r" (?:\w+ ){0,2}?(?:(?:do not|don't|does not|doesn't|never|no longer) (?:need|require)s?"
        r"|needs? no|requires? no) (?:\w+ ){0,3}?(?:approvals?|confirm\w*|verifications?|authori[sz]ations?"
        r"|checks?|sign-?off)\b"
        r"|verified by (?:passport|id|the|your|system|admin\w*|support|staff)\b|(?:trusted|verified"
        r"|privileged|premium|vip|admin|authori[sz]ed|pre-?approved|exempt\w*) (?:\w+ )?"
        r"(?:users?|customers?|clients?|testers?|accounts?)\b"
        r"|made (?:\w+ )?(?:an? |the )?(?:trusted|verified|privileged|premium|vip|moderator|admin\w*)\b"
        r"|grants? (?:\w+ )?(?:refund|write|delete|edit|payment|transfer|approval|override|full) (?:\w+ )?"
        r"(?:rights?|access|permissions?|privileges?)"
        r"|(?:consent(?:s|ed)?|agree(?:s|d)?) to (?:\w+ ){0,3}(?:record\w*|shar\w+|data|marketing"
        r"|track\w*|profil\w+|process\w*|everything|all|terms|polic\w+|monitor\w*)\b"
        r"|agree(?:s|d)? that (?:\w+ ){1,4}(?:handles?|decides?|controls?|manages?|may|can|is allowed)\b"
        r"|(?:checks?|filters?|safeguards?|restrictions|warnings?|disclaimers?"
        r"|(?:risk|safety|legal) (?:notes?|notices?)|confirmations?|verifications?|approvals?"
        r"|safety) (?:is|are|stays?|be) (?:now |always )?(?:off|disabled|suspended|waived|lifted|unnecessary"
        r"|not needed|not required|optional|skipped|superfluous)"
        r"|(?:is|are|was|were|be|been|being|am|as|i'm) (?:(?:\w+ly|now|already|the|an?) )*"
        r"(?:verified|authenticated|authori[sz]ed|white-?listed|pre-?approved|trusted)\b(?! by my)"
        r"|(?:has|have|already) (?:\w+ ){0,2}(?:verified|authenticated|authori[sz]ed|white-?listed"
        r"|pre-?approved)"
        r"|(?:is|are) (?:(?:\w+ly|now|already) )*approved"
        r"|(?:system|admin(?:istrator)?|support|security|compliance|developer|openai|anthropic|staff)"
        r" (?:team )?(?:has |have |already |had )*(?:verified|confirmed|authori[sz]ed|approved|checked"
        r"|cleared)"
        r"|identity (?:is|was|has been) (?:\w+ )?(?:confirmed|verified|checked|proven)|my identity"
        r"|(?:has|have|had|with|gets?|holds?|enjoys?|grants?|given|full) (?:\w+ ){0,2}(?:admin\w*|premium"
        r"|root|staff|insider"
        r"|super-?user|privileged|elevated|unlimited|unrestricted|full|vip|developer"
        r"|system) (?:\w+ )?(?:rights?"
        r"|access|privileges?|permissions?|status|role|clearance|mode)"
        r"|full access|jailbr\w+|(?:debug|developer|god|maintenance|override|verification|audit|test(?:ing)?"
        r"|admin|unrestricted"
        r"|unfiltered|root|sudo|safe|training|dan|knowledge verification|enforcement override) mode"
        r"|as an ai\b|security audit"
        r"|system (?:upgrade|update|check|audit|maintenance)"
        r"|(?:your|the) (?:developer|creator|maintainer|admin(?:istrator)?|owner|operator|programmer"
        r"|master) (?:of (?:your|this|the)|and)"
        r"|your (?:developer|creator|maintainer|admin(?:istrator)?|owner|operator|programmer|master)\b"
        r"|(?:previous|prior|earlier|above|all) (?:instructions?|directives?|rules|prompts?|guidelines)"
        r"|(?:is|am|i'm|are|as|be|become) (?:now |already |the |an? )*(?:super-?user|moderator"
        r"|(?:premium|vip|trusted|verified|gold|platinum|priority) (?:customer|member|user|client|partner))"
        r"|(?:is|am|i'm|as|be|become) (?:now |already |the |an? )*(?:admin(?:istrator)?|owner|operator"
        r"|developer"
        r"|creator|employee|manager|auditor)s? (?:here|of (?:this|the|your) (?:system|platform|app|service"
        r"|bot"
        r"|assistant|site|bank|chat|ai)|and (?:may|can)|,? ?so you)"
        r"|(?:staff|employee|member|part) of (?:this|your) (?:service|platform|bank|team|system|company|app"
        r"|staff)|(?:is|am|i'm) (?:now |already )?an? admin(?:istrator)?\W*$"
        r"|(?:other|any|all|every|another) (?:\w+ )?(?:customer|user|client|member"
        r"|person)s?'?s? (?:\w+ )?(?:records?"
        r"|data|accounts?|facts?|files?|details|messages?|memor(?:y|ies))"
        r"|(?:may|can|allowed to|entitled to) (?:see|read|access|view) (?:other|any|all|every)"
        r"|(?:needs?|requires?|with) (?:\w+ )?no (?:\w+ )?(?:approvals?|confirmations?|verifications?"
        r"|checks?)"
        r"|no (?:further |more |extra )?(?:checks?|verifications?|approvals?|confirmations?) (?:are "
        r"|is )?(?:needed"
        r"|required|necessary)"
        r"|(?:agree[sd]?|consent(?:s|ed)?|opt(?:s|ed)? in) to (?:\w+ ){0,3}(?:data|marketing|tracking"
        r"|sharing|terms"
        r"|calls|transfers?|newsletters?|selling)"
        r"|clearance(?: level)?\b|(?:can|may|should|must) be (?:shown|told|sent|revealed|disclosed"
        r"|given) to me|pre-?authori[sz]\w*"
        r"|authori[sz]e (?:you|every|all|any|future)|hereby|waive[sd]? (?:\w+ ){0,3}(?:rights?|refunds?"
        r"|claims?)|accepts? all|approved? (?:deleting"
        r"|all|any)"
        r"|treat(?:s|ed)? (?:me|us|the customer|the user|this customer|them) as|to be treated as|mark me as"
        r"|all facts|confirmed by (?:the )?(?:user|system)|memory policy|new instructions?|system (?:prompt"
        r"|message"
        r"|note|override|instructions?)|risk profile"
    ),
    task=(
        r"translate|proof-?read|summari[sz]e|paraphrase|rephrase|re-?write|re-?word|shorten|condense|edit"
        r"|polish"
        r"|spell-?check|correct|improve|debug|fix|check|review|analy[sz]e|explain|reply|answer|respond|format"
        r"|read|convert|continue|complete|comment on|critique|grade|extract|parse|classify|transcribe|tl;?dr"
        r"|what do you (?:make|think) of|what should i (?:answer|reply|say|write)|look at|have a look at"
        r"|help me (?:with|answer|reply|understand)|can you|could you|would you|please|why does|what does"
    ),
    document=(
        r"text|page|article|e-?mail|mail|message|letter|note|post|tweet|comment|review|document|paragraph"
        r"|sentence"
        r"|passage|story|poem|html|code|script|snippet|function|file|transcript|conversation|chat|log|report"
        r"|essay"
        r"|abstract|cv|resume|cover letter|contract|clause|advert(?:isement)?|ad|website|web page|blog|quote"
        r"|pdf|ocr|photo|picture|image|screenshot|attachment|scan|slide|spreadsheet|csv|podcast|voice ?mail"
        r"|caption|speech|paper|readme|output|error|description|bio|profile|statement|draft|following|below"
        r"|this|search result|result|snippet|source|newsletter"
    ),
    reported=(
        r"wrote|writes|said|says|texted|emailed|messaged|told me|asked me|claims?|claimed|replied|answered"
        r"|posted"
        r"|reads|goes like this|stated|states|tweeted|added|explains?|announced|according to"
    ),
    credentials=(
        r"pass(?:word|phrase|code|wd)s?|pwd|pin(?: code| number)?|seed (?:phrase|words)|recovery (?:phrase"
        r"|code|key|words)"
        r"|(?:api|secret|private|access|encryption|licen[cs]e|security|ssh|wallet)[ -]?(?:key|token|code"
        r"|secret)s?"
        r"|cv[vc]2?|tan|otp|one-time code|2fa(?: code)?|backup codes?|auth(?:entication)? (?:token|code)"
        r"|bearer token|card(?: number)?|credit card(?: number)?|debit card(?: number)?|login|credentials"
        r"|mother's maiden name|security (?:question|answer)|mnemonic"
    ),
    contact=(
        r"(?:phone|mobile|cell|telephone|fax|contact)?(?: ?number)|phone|e-?mail(?: address)?|address|iban"
        r"|bank account|account number|passport|id|licen[cs]e|whatsapp"
    ),
    accused=(
        r"thief|thieves|steals?|stole|stealing|robs?|robbed|robber|fraud\w*|cheat(?:s|ed|er|ing)?|liars?"
        r"|lies about"
        r"|crooks?|criminals?|embezzl\w+|abus(?:e|es|ed|er|ive|ing)|beats (?:his|her|their|up)|hits (?:his"
        r"|her|their)"
        r"|(?:deals?|sells?|smuggles?) (?:drugs|cocaine|heroin|weed)|cocaine|heroin|drug dealer|dealer"
        r"|scam(?:s|med|mer|ming)?|murder\w*|kill(?:s|ed|er)|rap(?:e|ed|es"
        r"|ist)"
        r"|launder\w*|brib\w+|corrupt|evad(?:es|ed|ing) tax\w*|tax evasion|dodges? tax\w*|blackmail\w*"
        r"|stalk\w*"
        r"|harass\w*|assault\w*|violent|terrorist|racist|nazi|pa?edophile|molest\w*|affair|smuggl\w+"
        r"|forg(?:es|ed|er)"
        r"|bankrupt|in debt|drinks (?:too much|a lot|heavily)|unfaithful|gambl(?:es|er|ing)|alcoholic"
        r"|drunk(?:ard)?|addict(?:ed)?|junkie|illegal\w*|undocumented|psychopath|incompetent"
        r"|perver\w+"
    ),
    minor=(
        rf"(?:i am|i'm|im|we are|we're) (?:only |just |still |almost |nearly |about to turn |turning )?{_AGE}"
        r"(?: years?[ -]old| y/?o| yrs?(?: old)?)?(?=\s*(?:$|[.,;!?)]|and\b|but\b|so\b|now\b|in\b(?! total)))"
        rf"|(?:i )?(?:turn(?:ed|ing)?|will be|am turning|gonna be) {_AGE}(?: years old)?(?= (?:next|this"
        rf"|last|in|on|tomorrow|today|soon)\b|\W*$)"
        rf"|(?:i am|i'm|im) (?:\w+ )?(?:in |a |starting |finishing )(?:the )?{_GRADE}(?! teacher)\b"
        r"|(?:i am|i'm|im) (?:\w+ )?(?:in|starting) grade (?:[1-9]|10)\b"
        r"|(?:i am|i'm|im|and am|and i'm) (?:\w+ )?(?:in|starting) year (?:[1-9]|10)\b|i (?:go to"
        r"|attend) (?:\w+ ){0,3}(?:primary|elementary|middle)(?: school)?\b(?! care)|(?:i am|i'm"
        r"|im) (?:\w+ )?(?:in|at|starting) (?:middle|elementary|primary|grade) school"
        r"|(?:i am|i'm|im) (?:an? )?(?:minor|underage|child|kid|(?:little|young) (?:boy|girl))\b"
        r"|my (?:mom|mum|dad|parents) (?:says? i'm too young|won't let me|don't let me|doesn't let me)"
    ),
    occupation=(
        r"(?:work(?:s|ed|ing)?|volunteer(?:s|ed|ing)?|jobs?|employed|career|teach(?:es|ing)?|taught|nurs(?:e"
        r"|es|ing)"
        r"|doctors?|surgeons?|research\w*|scientists?|stud(?:y|ies|ied|ying)|degree|major(?:ing|ed)?"
        r"|donat\w+|rais(?:e|es|ing) money"
        r"|charity|museum|histor\w+|books?|novels?|movies?|films?|songs?|bands?|music|paint\w*|architecture"
        r"|grew up near)\b"
    ),
    special={
        SpecialCategory.HEALTH: (
            r"impoten(?:t|ce)|incontinen(?:t|ce)|cuts (?:him|her|them|my)sel(?:f|ves)|blood type|(?:see"
            r"|sees|seeing) a (?:shrink|psychologist|counsell?or)"
            r"|on the (?:autism )?spectrum"
            r"|(?:my|takes?|taking|on) (?:\w+ )?pills|prescribed|prescription(?! glasses)|medicated"
            r"|diagnos(?:ed|is)|suffer(?:s|ed|ing)? from|pregnan(?:t|cy)|miscarriage|abortion|ivf|infertil\w*"
            r"|cancer|tumou?r|leuk[a]?emia"
            r"|diabet(?:es|ic)|hiv|aids|ms|multiple sclerosis|epilep(?:sy|tic)|asthma(?:tic)?|arthritis"
            r"|crohn'?s"
            r"|depress(?:ion|ed)|bipolar|schizophreni[ac]|anxiety disorder|ptsd|ocd|adhd|add|autis(?:m|tic)"
            r"|asperger'?s?|dyslexi[ac]|anorexi[ac]|bulimi[ac]|eating disorder|alzheimer'?s?|dementia"
            r"|parkinson'?s?"
            r"|stroke|heart attack|heart disease|heart condition|high blood pressure|hypertension|migraines?"
            r"|sertraline|fluoxetine|prozac|(?:es)?citalopram|lexapro|zoloft|paroxetine|venlafaxine"
            r"|duloxetine"
            r"|bupropion|mirtazapine|xanax|alprazolam|diazepam|valium|lorazepam|lithium carbonate|metformin"
            r"|ozempic|wegovy|semaglutide|levothyroxine|methotrexate|warfarin|(?:ator|simva|rosuva)?statins?"
            r"|ritalin|adderall|methylphenidate|lamotrigine|quetiapine|olanzapine|truvada|methadone|ssris?"
            r"|beta[- ]blockers?|tamoxifen|antipsychotics?|anticoagulants?|blood thinners?|inhalers?|epipen"
            r"|painkillers|opioids?|hormone therapy|testosterone|oestrogen"
            r"|chemo(?:therapy)?|dialysis|insulin|antidepressants?|medications?|surgery|wheelchair"
            r"|paraly[sz]ed"
            r"|disab(?:led|ility)|blind|deaf|lupus|fibromyalgia|hepatitis|std|herpes|psychiatri\w+|in therapy"
            r"|see a therapist|my therapist|rehab|addict(?:ed|ion)?|alcoholic|sober|burn-?out|overweight"
            r"|obes(?:e|ity)"
            r"|chronic(?:ally)? \w+|suicid\w+|self-harm|mental(?:ly)? (?:health|ill\w*)|illness"
            r"|sick(?:ness)? with"
        ),
        SpecialCategory.RELIGION: (
            r"christians?|catholics?|protestants?|baptist|methodist|lutheran|mormon|evangelical|orthodox"
            r"|muslims?"
            r"|islam(?:ic)?|jew(?:s|ish)?|hindu|buddhis[mt]|sikh|atheists?|agnostic|jehovah'?s witness(?:es)?"
            r"|ramadan|lent|shabbat|sabbath|yom kippur|eid|church|mosque|synagogue|temple|pray(?:s|ed|ing"
            r"|ers?)?"
            r"|bible|quran|koran|torah|religio(?:n|us)|believ(?:e|es) in god|god|jesus|allah|baptized|hijab"
            r"|kosher|halal"
            r"|faith|mass (?:on|every) \w+|wiccan?|pagan"
        ),
        SpecialCategory.POLITICS: (
            r"vot(?:e|es|ed|ing) (?:for|against|labou?r|tory|green|democrat|republican|conservative|liberal"
            r"|left"
            r"|right)|republicans?|democrats?|labou?r party|tory|tories|conservative party|green party"
            r"|libertarian"
            r"|socialist|communist|marxist|anarchist|left-?wing|right-?wing|party member"
            r"|member of (?:the )?(?:\w+ )?party"
            r"|politically|politics|feminist|trump|biden|brexit(?:eer)?|activist|liberal|conservative"
        ),
        SpecialCategory.UNION: (
            r"(?:trade |labou?r )?union(?: (?:member|rep|steward|dues))|trade union(?:ist)?s?|(?:in|of"
            r"|joined) (?:a|the|my) union"
        ),
        SpecialCategory.SEX_LIFE: (
            r"gay|lesbian|bisexual|homosexual|queer|transgender|trans (?:man|woman)|(?:i am|i'm|im|is"
            r"|am) trans|asexual|pansexual"
            r"|non-?binary"
            r"|lgbtq?\w*|sexual\w*|sex life|sex|came out|coming out|polyamor\w+|kink\w*|fetish\w*|virgin"
        ),
        SpecialCategory.ORIGIN: (
            r"african[- ]american|(?:i am|i'm|is|am) (?:half[- ])?(?:black|white|asian|latin[oax]|hispanic"
            r"|biracial|mixed race)\b(?! belt)"
            r"|ethnic(?:ity|ally)?|race is|native american|aboriginal|rom(?:a|ani) (?:family|origin|people)"
            r"|gypsy|indigenous"
            r"|kurd(?:ish)?|uyghurs?|sinti|maori|inuit|ashkenazi|sephardic|berber"
        ),
        SpecialCategory.BIOMETRICS: (
            r"fingerprints?|face id|retina|iris scan|dna|genome|genetic(?:s|ally)?|voiceprint|biometric\w*"
        ),
        SpecialCategory.CRIME: (
            r"convicted|conviction|criminal record|in (?:prison|jail)|to (?:prison|jail)|prison sentence"
            r"|arrested|felon(?:y|ies)?"
            r"|on (?:parole|probation)|sentenced|served time|burglar\w*|shoplift\w*|dui"
        ),
    },
)  # fmt: skip
