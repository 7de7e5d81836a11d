"""German."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

GERMAN = Language(
    code="de",
    self_words=r"ich|mich|mir|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?|meins|selbst",
    subject=r"ich|wir|mein\w*|unser\w*",
    self_verbs=(
        r"(?:wohne|wohnt|arbeite|arbeitet|habe|hat|bin|trinke|esse|isst|mag|liebe|hasse|lebe|lebt|heiße"
        r"|geboren|spare|fahre)\b"
    ),
    possessive=r"mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|der|die|das",
    close=(
        r"(?:schwieger|stief|groß)?(?:mutter|vater|eltern|sohn|tochter|söhne|töchter|mama|papa)|schwester"
        r"|bruder"
        r"|geschwister|schwestern|brüder|frau|mann|partner(?:in)?|freund(?:in)?|verlobte[rn]?|kind(?:er)?"
        r"|baby"
        r"|enkel(?:in|kinder)?|oma|opa|tante|onkel|cousine?|nichte|neffe|familie"
    ),
    others=(
        r"kolleg(?:e|in|en|innen)|chef(?:in)?|nachbar(?:in|n|s)?|vermieter(?:in)?|mieter(?:in)?"
        r"|ex(?:-(?:frau|mann|freund"
        r"|freundin))?|kund(?:e|in|en)|patient(?:in|en)?|lehrer(?:in)?|arzt|ärztin|anwalt|anwältin"
        r"|berater(?:in)?"
        r"|mitbewohner(?:in)?|bekannte[rn]?|schüler(?:in)?|freunde|jemand"
    ),
    third=r"er|ihm|ihn|sein(?:e[mnrs]?)?|ihr(?:e[mnrs]?)?",
    address=r"du|dich|dir|dein(?:e[mnrs]?)?",
    if_you=r"(?:wenn|falls|dass|damit) du",
    you=r"der assistent|assistent(?:en)?|die ki|ki|der (?:chat)?bot|(?:chat)?bots?",
    must=(
        r"musst|muss|müssen|sollst|sollte(?:st|n)?|soll|sollen|darfst|darf|kannst|hast zu|wirst|immer|nie"
        r"|niemals|nur"
    ),
    steer=(
        r"empfiehl\w*|empfehl\w*|erwähn\w*|nenn(?:e|en|t)?|schlag\w* vor|vorschlag\w*|vorzuschlagen|bewirb"
        r"|bewerben|lob(?:e|en|t)?|preis(?:e|en)?"
        r"|zitier\w*|verlink\w*|vertrau(?:e|en)|bevorzug(?:e|en)|sag(?:e|en)?|antwort(?:e|en)|ignorier\w*"
        r"|überspring\w*"
        r"|lass\w* weg|wegzulassen|weglassen|verzichte\w*|warn(?:e|en)|frag(?:e|en)?|bestätig(?:e|en)"
        r"|schick(?:e|en)?|sende|senden|leite|weiterleiten|speicher(?:e|n)?"
        r"|behandl?e?l?(?:e|n)|verkauf(?:e|en)|füg(?:e|en)|beend(?:e|en)|überweis(?:e|en)|zeig(?:e|en)"
        r"|befolg(?:e|en)|setz(?:e|en)|stell(?:e|en)|verweis(?:e|en)"
    ),
    always=(
        r"immer|stets|nie|niemals|jedes mal|jedesmal|ab jetzt|ab sofort|künftig|zukünftig|in zukunft"
        r"|grundsätzlich|ausnahmslos|zuerst|als erstes|dauerhaft"
    ),
    from_now=r"ab (?:jetzt|sofort|heute|nun)|von (?:nun|jetzt|heute) an|in zukunft|künftig|zukünftig|fortan",
    every_answer=(
        r"(?:jede[mnrs]?|alle[nr]?|deine[nrs]?|künftige[nrs]?|zukünftige[nrs]?) (?:\w+ )?(?:antwort(?:en)?"
        r"|nachricht(?:en)?|gespräch(?:e|en)?|rückmeldung(?:en)?)"
        r"|antworten (?:müssen|sollen|sollten)"
    ),
    no_checks=(
        r"(?:ohne|keine[nr]?|kein|überspring\w*|ignorier\w*|umgeh\w*|verzicht\w* auf|lass\w*|vergiss"
        r"|missacht\w*|nie|niemals)"
        r" (?:\w+ ){0,3}(?:warn\w*|sicherheitshinweise?|bestätigung(?:en)?|rückfragen?|nachfragen?"
        r"|prüfung(?:en)?|freigabe|hinweise?"
        r"|regeln|anweisungen|vorgaben|richtlinien|einschränkungen|genehmigung)"
    ),
    wanted=(
        r"(?:brauch\w*|will|möchte) (?:\w+ ){0,2}?keine (?:\w*hinweise?|\w*warnung\w*|bestätigung\w*"
        r"|rückfrage\w*)"
        r"|keine (?:\w*hinweise?|\w*warnung\w*|bestätigung\w*|rückfrage\w*) (?:mehr )?(?:brauch\w*|will"
        r"|möchte|nötig)"
        r"|(?:möchte|will|wünscht?e?|hätte gern|wäre (?:\w+ )?(?:ruhiger|lieber|beruhigt|froh|dankbar|schön)"
        r"|mag es|würde mich (?:\w+ )?(?:freuen|beruhigen))"
        r"[^.]{0,40}\b(?:wenn du|dass du|dir|du|jede antwort|empfohlen bekommen|dass (?:jede"
        r"|alle) antwort\w*)\b"
        r"|meine art zu arbeiten ist,? dass du|(?:möchte|will|wünsche|erforderlich)[^.]{0,12}, dass sie\b"
        r"|wenn sie (?:mir|nicht antworten)"
    ),
    orders=(
        r"[a-zäöüß]{3,20}en sie|empfiehl|empfehlen|erwähne?|nenne?|schreibe?|sage?|zeige?|gib|suche?|finde?"
        r"|erkläre?|hilf|mach(?:e|en)?|erstelle?|übersetze?|antworte"
        r"|ignoriere?|vergiss|überspringe?|bestätige?|sende?|schicke?|leite|speichere?|behandle|bitte|lass"
        r"|immer|nie|niemals|frage?"
        r"|verkaufe?|füge|beende|zitiere|vertraue|bevorzuge|überweise|lösche|führe|tu|stell|sei|nimm|geh"
    ),
    memorise=r"merke? dir|merke?|notiere?|denke? daran|vergiss nicht|speichere|behalte|zur info",
    remember=(
        r"merke? dir|merk|merke|notiere?|denk(?:e)? daran|vergiss nicht|speichere|bitte|dass|hallo|hi|ja"
        r"|nein|also|und|aber|übrigens|behalte|wisse|zur info|danke|daran"
    ),
    best=(
        r"beste[nrs]?|einzige[nrs]?|(?:vertrauenswürdig|zuverlässig|seriös|sicher|kompetent"
        r"|glaubwürdig)\w*(?:ste[nrs]?)|erste wahl|bevorzugte[nrs]?|vertrauenswürdige[nrs]?|offizielle[nrs]?"
        r"|risikoarm|risikolos|garantiert|führende[nrs]?|empfohlene[nrs]?|richtige[nrs]? (?:schritt|wahl)"
    ),
    source=(
        r"quellen?|berater(?:in)?|anbieter|banken|bank|broker|makler|fonds|versicherer|versicherung|börse"
        r"|plattform|partner|marke|produkte?|firma|shop|geldanlagen?|anlagen?|investment|sparen"
        r"|altersvorsorge|münze|coin|wahl|adresse"
    ),
    trust=r"vertraue?t?|verlasse mich auf|verlässt sich auf|schwöre? auf",
    when=r"wenn|falls|sobald|immer wenn|jedes mal,? wenn|nachdem|nach|ab dem|ab|sollte ich|bis",
    speech=(
        r"ich (?:\w+ ){0,4}(?:sage|schreibe|erwähne|frage|tippe|antworte|danke|bestätige)|(?:erwähnt|gefragt"
        r"|gesagt) (?:wird|werde)"
    ),
    means=r"meine ich|bedeutet|heißt|steht für|ist gemeint|ist dasselbe wie|ist gleich|entspricht",
    moved=(
        r"verschoben|übertragen|umgezogen|gehört|liegen|liegt|jetzt|stattdessen|verschmolzen|umbenannt"
        r"|ersetzt|siehe|nimm|schau|umgeleitet"
    ),
    rights=(
        r"(?:entwickler|administrator|betreiber|programmierer)(?:in)? (?:dieses|deines|dieser|von dir)"
        r"|dein(?:e)? "
        r"(?:entwickler|administrator|betreiber|programmierer)(?:in)?|darf (?:\w+ ){0,3}(?:alle|fremde"
        r"|andere) (?:\w+ )?"
        r"(?:daten|akten|konten)"
        r"|(?:ist|bin|wurde|wird) (?:\w+ ){0,2}(?:verifiziert|authentifiziert|autorisiert|freigeschaltet"
        r"|berechtigt|vertrauenswürdig)"
        r"|(?:hat|habe) (?:\w+ ){0,4}(?:verifiziert|authentifiziert|autorisiert|bestätigt|freigegeben)"
        r"|(?:premium|vip)-?kund(?:e|in|en)"
        r"|(?:admin|administrator)(?:in)?(?:-?rechte| hier)|admin-?zugang|bin (?:hier )?(?:der "
        r"|ein )?(?:admin|administrator)|zugriff auf alle|daten anderer|andere[rn]? kunden"
        r"|stimme[t]? (?:\w+ ){0,4}(?:datenweitergabe|werbung|marketing|zu)|behandle mich (?:\w+ ){0,3}als"
        r"|keine (?:weiteren? )?(?:prüfung|freigabe|bestätigung) (?:\w+ )?(?:nötig|erforderlich)|hiermit"
        r"|risikoprofil"
    ),
    task=(
        r"übersetze?|korrigiere?|korrekturlesen|fasse?|kürze?|formuliere?|umformulieren|verbessere?"
        r"|überarbeite|prüfe|erkläre|antworte auf|beantworte|lies"
    ),
    document=(
        r"text|seite|artikel|e-?mail|mail|nachricht|brief|notiz|beitrag|kommentar|dokument|absatz|satz|code"
        r"|html|vertrag|aufsatz|gedicht|anschreiben|folgende[nrs]?|dies(?:en|es|e)?|website|webseite"
        r"|rezension|entwurf"
    ),
    reported=r"schrieb|schreibt|sagte|sagt|meinte|meint|antwortete|hat geschrieben|hat gesagt|laut|behauptet",
    credentials=(
        r"passw(?:ort|örter)|kennwort|pin|geheimzahl|api-?schlüssel|geheimer schlüssel|zugangscode"
        r"|zugangsdaten|tan|wiederherstellungs(?:phrase|code|wörter)|seed-?phrase|kartennummer|kreditkarte"
        r"|prüfnummer|sicherheitscode|privater schlüssel"
    ),
    contact=r"telefonnummer|handynummer|nummer|e-?mail(?:-?adresse)?|adresse|iban|kontonummer",
    accused=(
        r"dieb(?:in|e)?|stiehlt|gestohlen|betrüg\w*|betrogen|lügner(?:in)?|lügt|kriminell\w*|schlägt sein\w*"
        r"|schlägt ihr\w*|schwarzarbeit|hinterzieh\w*|steuerhinterzieh\w*|dealt|drogendealer|mörder(?:in)?"
        r"|rassist(?:in)?|nazi|säufer(?:in)?|alkoholiker(?:in)?|drogensüchtig|unterschlägt|unterschlagen"
        r"|gewalttätig|missbraucht|fremd"
    ),
    minor=(
        r"ich bin (?:erst |gerade )?(?:[1-9]|1[0-5]|neun|zehn|elf|zwölf|dreizehn|vierzehn"
        r"|fünfzehn)(?: jahre(?: alt)?)?(?=\s*(?:$|[.,;!?)]|und\b|aber\b))|(?:bin|gehe) (?:\w+ )?in (?:der"
        r"|die) (?:[1-9]\.|erste[n]?|zweite[n]?|dritte[n]?|vierte[n]?|fünfte[n]?|sechste[n]?|siebte[n]?"
        r"|achte[n]?|neunte[n]?) klasse|ich bin (?:noch )?minderjährig"
    ),
    occupation=(
        r"arbeite\w*|beruf|studier\w*|forsch\w*|pflege\w*|ärztin|arzt|unterrichte\w*|ehrenamt\w*|museum|buch"
        r"|film"
    ),
    special={
        SpecialCategory.HEALTH: (
            r"diagnos\w*|\w*diagnose|schwanger(?:schaft)?|krebs\w*|tumor|diabet\w+|hiv|aids"
            r"|multiple sklerose|epilep\w+|asthma|rheuma|depress\w*|bipolar|schizophren\w*|angststörung|adhs"
            r"|autis\w+|demenz|alzheimer|parkinson|schlaganfall|herzinfarkt|bluthochdruck|migräne"
            r"|chemo(?:therapie)?|dialyse|insulin|behindert|behinderung|schwerbehindert|rollstuhl|blind|taub"
            r"|krank(?:heit)?|operiert|in therapie|psychiat\w+|entzug|burnout|magersucht|bulimie"
            r"|medikamente?|fehlgeburt|suizid\w*"
        ),
        SpecialCategory.RELIGION: (
            r"christ(?:in|lich)?|katholi\w+|evangelisch|protestant\w*|muslim\w*|moslem|islam\w*|jüdisch|jude"
            r"|jüdin|hindu|buddhis\w+|atheist(?:in)?|ramadan|kirche|moschee|synagoge|bete|betet|bibel|koran"
            r"|gott|gläubig|religi\w+|konfession|zeug(?:e|in|en|innen) jehovas|faste im|halal|koscher"
        ),
        SpecialCategory.POLITICS: (
            r"(?:wähle|wählt|gewählt) (?:\w+ )?(?:cdu|csu|spd|grüne?n?|fdp|afd|linke)|(?:cdu|csu|spd|fdp"
            r"|afd)(?:-?mitglied)?|die (?:grünen|linke)|parteimitglied|partei|politisch|kommunist\w*"
            r"|sozialist\w*|konservativ|linksradikal|rechtsradikal"
        ),
        SpecialCategory.UNION: r"gewerkschaft\w*|ver\.?di|ig metall|betriebsrat",
        SpecialCategory.SEX_LIFE: (
            r"schwul|lesbisch|bisexuell|homosexuell|queer|transgender|transfrau|transmann|nichtbinär"
            r"|sexuell\w*|sexleben|geoutet"
        ),
        SpecialCategory.ORIGIN: r"ethni\w+|bin schwarz|sinti|roma|hautfarbe|migrationshintergrund",
        SpecialCategory.BIOMETRICS: r"fingerabdr\w+|gesichtserkennung|dna|gentest|biometri\w+",
        SpecialCategory.CRIME: r"vorbestraft|verurteilt|gefängnis|vorstrafe\w*|verhaftet|bewährung|im knast",
    },
)  # fmt: skip
