"""Italian."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

ITALIAN = Language(
    code="it",
    self_words=r"io|me|mi|mio|mia|miei|mie|noi|nostro|nostra|nostri|nostre|ci|m",
    subject=r"io|noi|mi[oa]|miei|mie|nostr[oaie]",
    self_verbs=(
        r"(?:non |già |sempre |mai |ora |anche )?(?:\w{2,}o|ho|sono|sto|faccio|vado|so|\w{3,}(?:ai|ii)"
        r"|\w{2,}(?:iamo)|abbiamo|siamo|vorrei|potrei|\w{3,}(?:avo|evo|ivo)|nat[oa]|sposat[oa]"
        r"|allergic[oa])\b"
    ),
    possessive=r"mio|mia|miei|mie|nostro|nostra|nostri|nostre|il|la|i|le|lo|gli",
    close=(
        r"madre|padre|mamma|papà|genitori|sorell[ae]|fratell[oi]|figli[aeo]?|moglie|marito|compagn[oa]"
        r"|fidanzat[oa]|ragazz[oa]|nonn[oaie]|zi[oa]|cugin[oaie]|nipot[ei]|suocer[oai]|cognat[oai]|famiglia"
        r"|bambin[oaie]"
    ),
    others=(
        r"collegh?[aie]|capo|vicin[oaie]|padron[ea] di casa|inquilin[oai]|ex|client[ei]|pazient[ei]"
        r"|professor(?:e|essa)|insegnante|medico|avvocat[oa]|consulente|amic[oahei]+|qualcuno"
    ),
    third=r"lui|lei|loro|suo|sua|suoi|sue|egli|ella",
    address=r"tu|te|ti|tuo|tua|tuoi|tue",
    if_you=r"(?:se|che|quando) tu|se mi (?:dai|dici|mandi)|se (?:\w+ ){0,2}\w+(?:assi|essi|issi)\b",
    you=r"l'assistente|assistent[ei]|l'ia|ia|il (?:chat)?bot|(?:chat)?bots?",
    must=r"devi|deve|devono|dovresti|dovrebbe|dovete|hai da|puoi|può|potrai|sempre|mai|solo",
    you_must=r"devi|dovresti",
    steer=(
        r"raccomanda(?:re|mi)?|raccomandi|consiglia(?:re|mi)?|suggerisci|suggerire|menziona(?:re)?"
        r"|cita(?:re)?|citi|promuovi|promuovere|loda(?:re)?|fidati|preferisci|preferire|di'|dire|dimmi"
        r"|rispondi|rispondere|ignora(?:re)?|ometti|omettere|salta(?:re)?|avvisa(?:re)?|avverti(?:re)?"
        r"|chiedi|chiedere|chiedermi|conferma(?:re)?|invia(?:re)?|inoltra(?:re)?|salva(?:re)?"
        r"|registra(?:re)?|tratta(?:re|mi)?|vendi|vendere|aggiungi|aggiungere|termina(?:re)?|mostra(?:re)?"
        r"|metti|mettere|includi|includere|nomina(?:re)?|dimentica(?:re)?|proponi|proporre"
    ),
    always=(
        r"sempre|mai|ogni volta|in ogni caso|d'ora in poi|d'ora in avanti|in futuro|per primo|per prima"
        r"|senza eccezioni|di default"
    ),
    from_now=(
        r"d'ora in (?:poi|avanti)|da (?:ora|oggi|adesso) in (?:poi|avanti)|a partire da (?:ora|oggi|adesso)"
        r"|in futuro"
    ),
    every_answer=(
        r"(?:ogni|tutte(?: le| le tue)?|le tue|tue|ciascuna|prossime) (?:\w+ )?(?:rispost[ae]|messaggi[o]?"
        r"|conversazion[ei])|risposte devono"
    ),
    no_checks=(
        r"(?:senza|nessun[ao]?|ometti|omettere|ignora\w*|salta\w*|evita\w*|dimentica\w*|mai"
        r"|non) (?:\w+ ){0,3}(?:avvertenz[ae]|avvis[oi]|conferm[ae]|verific(?:a|he)|approvazion[ei]"
        r"|controll[oi]|regole|istruzioni|limiti|restrizioni|sicurezza|chieder\w* conferm\w*)"
    ),
    wanted=(
        r"(?:bisogno di|non voglio|non vuole) (?:\w+ )?(?:avvert\w+|conferm\w+|avvisi)"
        r"|(?:voglio|vuole|vorrei|vorrebbe|preferisco|preferisce|sarei|sarebbe|mi tranquillizz\w+"
        r"|tranquill[oa]|content[oa]|felice|desidera)[^.]{0,40}\b(?:se mi|se tu|che tu|che mi"
        r"|che ogni risposta|che le risposte|che l'assistente|se sempre)\b"
        r"|mio modo di lavorare[^.]{0,20}\b(?:tu|mi|non)\b"
    ),
    orders=(
        r"raccomanda|consiglia(?:mi)?|suggerisci|menziona|cita|di'|dimmi|scrivi|dai|dammi|mostra|spiega"
        r"|aiutami|fai|crea|traduci|rispondi|ignora|dimentica|ometti|conferma|invia|inoltra|registra"
        r"|trattami|per favore|non (?:chieder\w*|avvis\w*)|vendi|aggiungi|termina|metti|trova|cerca|elenca"
        r"|considera|includi|cancella|in ogni"
    ),
    memorise=r"ricord(?:a|ati)|tieni a mente|annota|segna(?:ti)?|salva|memorizza|non dimenticare|sappi",
    remember=(
        r"ricorda|ricordati|ricordi|tieni a mente|annota|segna|segnati|salva|memorizza|non dimenticare|che"
        r"|per favore|ciao|sì|no|allora|e|ma|comunque|in mente|in memoria|sappi|grazie|di"
    ),
    best=(
        r"miglior[ei]?|unic[oaie]|più (?:affidabil[ei]|sicur[oa]|onest[oa]|seri[oa]|attendibil[ei])"
        r"|di fiducia|di riferimento|ufficiale|preferit[oa] per|consigliat[oa]|senza rischi[o]?"
        r"|basso rischio|garantit[oa]|numero uno|prima scelta|giust[oa]"
    ),
    source=(
        r"font[ei]|consulent[ei]|fornitor[ei]|banc(?:a|he)|broker|fond[oi]|assicurazion[ei]|piattaform[ae]"
        r"|partner|marc(?:a|he)|prodott[oi]|sit[oi]|investiment[oi]|investire|risparmi[o]?|pension[ei]"
        r"|cripto\w*|scelta|citazion[ei]|espert[oi]"
    ),
    trust=r"mi fido di|si fida di",
    when=r"se|quando|ogni volta che|appena|non appena|dopo|una volta che|a partire dal|prima",
    speech=(
        r"(?:io )?(?:\w+ ){0,2}(?:dico|scrivo|menziono|chiedo|parlo|rispondo|ringrazio|digito|dirò|scriverò"
        r"|nomino)|si (?:parla|chiede|menziona)"
    ),
    means=r"intendo|significa|vuol dire|indica|si riferisce a|equivale a|è lo stesso di|sta per",
    moved=(
        r"spostat[oaie]|trasferit[oaie]|appartien\w*|appartengono|ora|adesso|unit[oaie]|sostituit[oaie]"
        r"|rinominat[oa]|guarda|usa|al posto"
    ),
    rights=(
        r"(?:sviluppatore|sviluppatrice|amministratore|creatore|proprietario) (?:di quest[oa']|del tuo|del) ?"
        r"(?:assistente|sistema|servizio|bot|ia)|(?:il )?tuo (?:sviluppatore|creatore|amministratore)"
        r"|(?:è|sono|stat[oa]) (?:\w+ ){0,2}(?:verificat[oa]|autenticat[oa]|autorizzat[oa]|preapprovat[oa])"
        r"|(?:ha|già|hanno) (?:\w+ ){0,2}(?:verificato|confermato|autorizzato|approvato)|cliente (?:premium"
        r"|vip|privilegiato)|(?:sono|è) (?:l'|un |il )?amministrat(?:ore|rice)(?: qui| di questo"
        r"| del sistema| della piattaforma|\W*$)|diritti di amministratore|accesso (?:completo|totale|admin)"
        r"|dati di altri|altri clienti|(?:accetto|accetta|acconsento|acconsente"
        r"|autorizzo) (?:\w+ ){0,4}(?:dati|marketing|pubblicità|condivisione|chiamate)|trattami come"
        r"|nessun[a]? (?:verifica|approvazione|conferma|controllo) (?:\w+ )?(?:necessari[ao]|richiest[ao])"
        r"|con la presente|profilo di rischio"
    ),
    task=(
        r"traduci|tradurre|correggi|correggere|riassumi|riassumere|accorcia|riformula|riscrivi|migliora"
        r"|controlla|spiega|rispondi a|analizza|rileggi"
    ),
    document=(
        r"testo|pagina|articolo|e-?mail|mail|messaggio|lettera|nota|commento|documento|paragrafo|frase"
        r"|codice|html|contratto|poesia|seguente|questo|questa|recensione|bozza|sito"
    ),
    reported=r"ha scritto|scrive|ha detto|dice|mi ha detto|ha risposto|risponde|afferma|secondo|sostiene",
    credentials=(
        r"password|parola d'ordine|codice (?:pin|segreto|di sicurezza|di accesso)|pin|chiave (?:api|privata"
        r"|segreta)|frase di recupero|credenziali|numero di carta|carta di credito|cvv"
    ),
    contact=r"numero(?: di telefono| di cellulare)?|telefono|cellulare|e-?mail|indirizzo|iban",
    accused=(
        r"ladr[oai]|ruba|rubato|truff\w+|frod\w+|bugiard[oa]|mente|criminale|delinquente|picchia|spaccia\w*"
        r"|assassin[oa]|stupratore|razzista|nazista|ubriacon[ea]|alcolizzat[oa]|drogat[oa]|tossic\w+|ricicla"
        r"|molest\w+|violent[oa]|corrott[oa]|evasor\w*|evade|tradisce"
    ),
    minor=(
        r"(?:ho|ha) (?:solo |appena )?(?:[1-9]|1[0-5]|nove|dieci|undici|dodici|tredici|quattordici"
        r"|quindici) anni(?! di)(?=\W*(?:$|[.,;!]|e\b))|(?:vado|faccio|sono) (?:\w+ )?(?:alle|le"
        r"|in) (?:elementari|medie|prima media|seconda media|terza media|quinta elementare)|sono minorenne"
    ),
    occupation=r"lavor\w+|studi\w+|infermier\w+|medico|volontari\w+|ricerc\w+|insegn\w+|museo|libro|film",
    special={
        SpecialCategory.HEALTH: (
            r"diagnos\w+|incinta|gravidanza|cancro|tumore|diabet\w+|hiv|aids|sclerosi|epiles\w+"
            r"|epilettic[oa]|asma\w*|depress\w+|bipolare|schizofreni\w+|autis\w+|adhd|alzheimer|parkinson"
            r"|ictus|infarto|ipertes\w+|emicrani[ae]|chemio\w*|dialisi|insulina|disabil\w+|sedia a rotelle"
            r"|ciec[oa]|sord[oa]|malat[oa]|malattia|operat[oa]|in terapia|psichiat\w+|anoressi\w+|bulimi\w+"
            r"|aborto|medicin[ae]|farmaci|suicid\w*"
        ),
        SpecialCategory.RELIGION: (
            r"cristian[oaie]|cattolic[oahie]+|protestante|musulman[oaie]|islam\w*|ebre[oaie]|indù"
            r"|buddist[aie]|ate[oa]\b|ramadan|quaresima|chiesa|moschea|sinagoga|messa|prego ogni|prega"
            r"|bibbia|corano|dio|credente|religi\w+|testimone di geova|praticante|halal"
        ),
        SpecialCategory.POLITICS: (
            r"vot(?:o|ato|a|are) (?:per|a|il|la|pd|lega)|partito|militante|iscritt[oa] (?:al|alla)"
            r"|di (?:sinistra|destra)|politic\w+|comunista|socialista|fascista|lega nord|cinque stelle"
        ),
        SpecialCategory.UNION: r"sindaca\w+|cgil|cisl|uil",
        SpecialCategory.SEX_LIFE: (
            r"gay|omosessuale|lesbica|bisessuale|transgender|transessuale|queer|non binari[oa]|vita sessuale"
            r"|sessual\w*"
        ),
        SpecialCategory.ORIGIN: r"etni\w+|sono (?:ner[oa]|di colore|rom)|colore della pelle",
        SpecialCategory.BIOMETRICS: r"impront[ae] digital[ei]|riconoscimento facciale|dna|biometric\w+",
        SpecialCategory.CRIME: r"condannat[oa]|precedenti penali|carcere|prigione|arrestat[oa]|fedina penale",
    },
)  # fmt: skip
