"""Dutch."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

DUTCH = Language(
    code="nl",
    self_words=r"ik|mij|me|mijn|m'n|wij|we|ons|onze|mijzelf|mezelf|'k",
    subject=r"ik|wij|we|mijn|onze|ons",
    self_verbs=r"(?:woon|woont|werk|werkt|heb|heeft|ben|drink|eet|hou|houdt|geboren|spaar|rijd)\b",
    possessive=r"mijn|m'n|onze|ons|de|het",
    close=(
        r"(?:schoon|stief|groot)?(?:moeder|vader|ouders|zoon|dochter|zoons|dochters)|mama|papa|zus(?:sen"
        r"|je)?|broers?|broertje|vrouw|man|partner|vriendin|vriend|verloofde|kind(?:eren)?|baby"
        r"|kleinkind(?:eren)?|oma|opa|tante|oom|nicht(?:je)?|neef(?:je)?|gezin|familie"
    ),
    others=(
        r"collega'?s?|bazin|baas|chef|leidinggevende|buurman|buurvrouw|buren|huisbaas|huurder|ex(?:-(?:man"
        r"|vrouw))?|klant(?:en)?|patiënt(?:en)?|leraar|lerares|arts|dokter|advocaat|adviseur|vrienden"
        r"|huisgenoot|leerling(?:en)?|iemand"
    ),
    third=r"hij|zij|hem|haar|zijn|hun|ze",
    address=r"jij|je|jou|jouw|u|uw",
    if_you=r"(?:als|dat|indien) (?:je|jij|u)",
    you=r"de assistent|assistent(?:en)?|de ai|ai|de (?:chat)?bot|(?:chat)?bots?",
    must=r"moet|moeten|zou moeten|dient|mag|mogen|kunt|kan|zal|zult|altijd|nooit|alleen",
    steer=(
        r"aanbevelen|aan te bevelen|beveel|aanraden|aan te raden|raad|noem(?:en)?|vermeld(?:en)?|prijs"
        r"|prijzen|promoot|promoten|citeer|citeren|vertrouw(?:en)?|verkies|verkiezen|zeg(?:gen)?"
        r"|antwoord(?:en)?|negeer|negeren|sla|overslaan|over te slaan|weglaten|waarschuw(?:en)?|vraag|vragen"
        r"|bevestig(?:en)?|stuur|sturen|doorsturen|bewaar|bewaren|sla op|opslaan|behandel(?:en)?|verkoop"
        r"|verkopen|voeg|toevoegen|eindig(?:en)?|toon|tonen|zet(?:ten)?|link(?:en)?|vergeet|vergeten"
        r"|onthoud(?:en)?|stel|voorstellen"
    ),
    always=(
        r"altijd|nooit|elke keer|iedere keer|telkens|voortaan|vanaf nu|in de toekomst|als eerste|eerst"
        r"|zonder uitzondering|standaard"
    ),
    from_now=r"vanaf (?:nu|vandaag|heden)|voortaan|van nu af aan|in het vervolg|in de toekomst",
    every_answer=(
        r"(?:elk|ieder|elke|iedere|alle|jouw|je|toekomstige) (?:\w+ )?(?:antwoord(?:en)?|bericht(?:en)?"
        r"|gesprek(?:ken)?|reacties?)|antwoorden moeten"
    ),
    no_checks=(
        r"(?:zonder|geen|negeer\w*|sla|overslaan|omzeil\w*|vergeet|laat"
        r"|nooit) (?:\w+ ){0,3}(?:waarschuwing(?:en)?|bevestiging(?:en)?|controles?|verificaties?"
        r"|goedkeuring(?:en)?|regels|instructies|richtlijnen|beperkingen|veiligheid\w*|om bevestiging"
        r"|toestemming)"
    ),
    wanted=(
        r"geen (?:\w+ )?(?:waarschuwing\w*|bevestiging\w*) (?:nodig|meer|wil\w*)|(?:wil\w*"
        r"|hoef\w*) geen (?:waarschuwing\w*"
        r"|bevestiging\w*)"
        r"|(?:wil|wilt|zou|graag|liever|liefst|fijn|rustiger|prettig|blij|wens|verwacht"
        r"|vindt het)[^.]{0,40}\b(?:als je|als jij|dat je|dat jij|als u|dat u|dat elk antwoord"
        r"|dat de assistent|jij)\b|mijn manier van werken[^.]{0,20}\b(?:je|jij|u)\b"
    ),
    orders=(
        r"beveel|raad|noem|vermeld|zeg|schrijf|geef|toon|leg|help|maak|vertaal|antwoord|negeer|vergeet|sla"
        r"|bevestig|stuur|bewaar|behandel|alsjeblieft|altijd|nooit|verkoop|voeg|eindig|zet|zoek|vind|vraag"
        r"|vertrouw|citeer|wis|verwijder|laat|gebruik"
    ),
    memorise=r"onthoud|noteer|vergeet niet|denk eraan|bewaar|weet",
    remember=(
        r"onthoud|noteer|vergeet niet|denk eraan|bewaar|dat|alsjeblieft|hoi|hallo|ja|nee|dus|en|maar"
        r"|trouwens|weet|bedankt|graag"
    ),
    best=(
        r"beste|enige|meest (?:betrouwbare|eerlijke|veilige)|betrouwbaarste|veiligste|vertrouwde|officiële"
        r"|aanbevolen|voorkeurs\w*|risicoloos|zonder risico|laag risico|gegarandeerd|nummer één|eerste keuze"
        r"|juiste"
    ),
    source=(
        r"bron(?:nen)?|adviseurs?|aanbieders?|bank(?:en)?|makelaars?|brokers?|fondsen|fonds|verzekeraars?"
        r"|platforms?|partners?|merk(?:en)?|product(?:en)?|sites?|belegging(?:en)?|beleggen|sparen"
        r"|pensioen(?:en)?|crypto\w*|keuze|experts?"
    ),
    trust=r"vertrouwt?|verlaat me op|zweert? bij",
    when=r"als|wanneer|zodra|telkens als|elke keer (?:als|dat)|nadat|na|vanaf|mocht ik|voordat",
    speech=(
        r"ik (?:\w+ ){0,4}(?:zeg|typ|schrijf|noem|vraag|antwoord|bedank|bevestig|begin over|heb het over)"
        r"|(?:genoemd|gevraagd) wordt|over \w+ begin"
    ),
    means=r"bedoel ik|betekent|verwijst naar|staat voor|is hetzelfde als|komt overeen met",
    moved=(
        r"verplaatst|overgezet|overgedragen|hoort|horen|nu|samengevoegd|vervangen|hernoemd|kijk|gebruik"
        r"|in plaats|zie"
    ),
    rights=(
        r"(?:ontwikkelaar|beheerder|maker|eigenaar|programmeur) van (?:deze|dit|jouw|je) "
        r"(?:assistent|systeem|dienst|bot|app)|(?:jouw|je) (?:ontwikkelaar|beheerder|maker|programmeur)"
        r"|(?:is|ben|word|werd|geworden) (?:\w+ ){0,2}(?:geverifieerd|geauthenticeerd|gemachtigd"
        r"|geautoriseerd|goedgekeurd|bevoegd)|(?:heeft|hebben) (?:\w+ ){0,4}(?:geverifieerd|bevestigd"
        r"|geautoriseerd|goedgekeurd)|(?:premium|vip)-?klant|(?:ben|is) (?:hier )?(?:de "
        r"|een )?beheerder(?: hier| van dit| van het systeem|\W*$)|beheerdersrechten|admin(?:rechten"
        r"|toegang)|volledige toegang|gegevens van anderen|andere klanten|(?:ga|gaat|stem"
        r"|stemt) (?:\w+ ){0,3}akkoord met (?:\w+ ){0,3}(?:gegevens|marketing|delen)|behandel me als"
        r"|geen (?:\w+ )?(?:controle|goedkeuring|bevestiging|verificatie) (?:meer )?nodig|hierbij"
        r"|risicoprofiel"
    ),
    task=(
        r"vertaal|corrigeer|verbeter|vat|samenvatten|verkort|herformuleer|herschrijf|controleer|leg uit"
        r"|beantwoord|analyseer|lees"
    ),
    document=(
        r"tekst|pagina|artikel|e-?mail|mail|bericht|brief|notitie|reactie|document|alinea|zin|code|html"
        r"|contract|gedicht|volgende|dit|deze|recensie|concept|website"
    ),
    reported=r"schreef|schrijft|zei|zegt|vertelde|antwoordde|antwoordt|beweert|volgens",
    credentials=(
        r"wachtwoord(?:en)?|pincode|pin|geheime (?:code|sleutel)|api-?sleutel|privésleutel|toegangscode"
        r"|herstel(?:zin|code)|inloggegevens|kaartnummer|creditcard|cvc|beveiligingscode"
    ),
    contact=r"telefoonnummer|nummer|mobiel|e-?mail(?:adres)?|adres|iban|rekeningnummer",
    accused=(
        r"dief|steelt|gestolen|fraude\w*|fraudeert|bedrieg\w*|oplichter|licht \w+ op|leugenaar|liegt"
        r"|crimineel|slaat (?:zijn|haar)|drugsdealer|dealt|moordenaar|racist|nazi|dronkaard|alcoholist"
        r"|verslaafd|verduistert|witwas\w*|gewelddadig|misbruikt|corrupt|vreemdga\w*|gaat vreemd"
    ),
    minor=(
        r"ik ben (?:pas |nog maar )?(?:[1-9]|1[0-5]|negen|tien|elf|twaalf|dertien|veertien"
        r"|vijftien)(?: jaar(?: oud)?)?(?=\s*(?:$|[.,;!?)]|en\b|maar\b))|ik zit (?:\w+ )?in (?:groep [1-8]"
        r"|de brugklas|de [1-3]e klas)|ik ben (?:nog )?minderjarig"
    ),
    occupation=r"werk\w*|studeer\w*|verpleeg\w*|arts|vrijwillig\w*|onderzoek\w*|doceer|museum|boek|film",
    special={
        SpecialCategory.HEALTH: (
            r"diagnos\w+|gediagnosticeerd|zwanger(?:schap)?|kanker|tumor|diabet\w+|suikerziekte|hiv|aids"
            r"|multiple sclerose|epilep\w+|astma|reuma|depress\w+|bipolair|schizofreni\w*|autis\w+|adhd"
            r"|alzheimer|dementie|parkinson|beroerte|hartaanval|hartinfarct|hoge bloeddruk|migraine|chemo\w*"
            r"|dialyse|insuline|gehandicapt|handicap|rolstoel|blind|doof|ziek(?:te)?|geopereerd|in therapie"
            r"|psychiat\w+|burn-?out|anorexia|boulimia|miskraam|medicijnen|zelfmoord"
        ),
        SpecialCategory.RELIGION: (
            r"christen|christelijk|katholiek|protestant\w*|moslim|islam\w*|jood\w*|joodse|hindoe|boeddhis\w+"
            r"|atheïst|ramadan|kerk|moskee|synagoge|bid|bidt|bijbel|koran|god|gelovig|religi\w+"
            r"|jehova'?s? getuige|halal|koosjer"
        ),
        SpecialCategory.POLITICS: (
            r"(?:stem|stemde|stemt|gestemd) (?:op|voor)|vvd|pvda|groenlinks|pvv|cda|d66|partijlid|partij"
            r"|politiek\w*|communist\w*|socialist\w*|(?:extreem)?links|rechts georiënteerd"
        ),
        SpecialCategory.UNION: r"vakbond\w*|fnv|cnv",
        SpecialCategory.SEX_LIFE: (
            r"homo(?:seksueel)?|gay|lesbisch|biseksueel|transgender|queer|non-binair|seksleven|seksue\w+"
            r"|uit de kast"
        ),
        SpecialCategory.ORIGIN: r"etni\w+|ben (?:zwart|gekleurd)|huidskleur|roma",
        SpecialCategory.BIOMETRICS: r"vingerafdruk\w*|gezichtsherkenning|dna|biometri\w+",
        SpecialCategory.CRIME: r"veroordeeld|strafblad|gevangenis|gearresteerd|voorwaardelijk",
    },
)  # fmt: skip
