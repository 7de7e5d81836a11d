"""French."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

FRENCH = Language(
    code="fr",
    self_words=r"je|j|moi|mon|ma|mes|nous|notre|nos|m|me|mien(?:ne)?",
    subject=r"je|j|nous|mon|ma|mes|notre|nos",
    self_verbs=r"(?:habite|travaille|suis|ai|préfère|aime|adore|déteste|né|née|végétarien(?:ne)?|vis"
    r"|on (?:a|est|habite|vit|cherche|va|fait|prend|aime|adore|mange|part|travaille|veut|voudrait|joue"
        r"|déménage|achète|loue|attend|prévoit|économise|élève|se)|c'est m(?:on|a|es))\b",
    possessive=r"mon|ma|mes|notre|nos|le|la|les",
    close=(
        r"(?:belle-|beau-|grand-|grands-)?(?:mère|père|sœur|soeur|frère|fille|fils|parents)|maman|papa|femme"
        r"|mari|conjointe?|compagn(?:e|on)|copine|copain|enfants?|bébé|tante|oncle|cousine?|nièce|neveu"
        r"|famille|sœurs|soeurs|frères|filles|mamie|papi"
    ),
    others=(
        r"collègues?|patronn?e?|chef(?:fe)?|voisine?s?|propriétaire|locataire|ex|clients?|patients?"
        r"|prof(?:esseure?)?|médecin|avocate?|conseill(?:er|ère)|amie?s?|élève|coloc(?:ataire)?|quelqu un"
        r"|quelqu'un"
    ),
    third=r"il|elle|lui|son|sa|ses|leurs?|ils|elles",
    address=r"tu|toi|ton|ta|tes|vous|votre|vos",
    if_you=r"(?:si|que|quand|pour que) (?:tu|vous)",
    you=r"l'assistant|assistants?|l'ia|le (?:chat)?bot|(?:chat)?bots?",
    must=(
        r"dois|devez|doit|doivent|devrais|devrait|devriez|peux|pouvez|es tenu|faut|vas|toujours|jamais"
        r"|uniquement"
    ),
    steer=(
        r"recommande[rzs]?|conseille[rzs]?|conseille-moi|suggère|suggérer|mentionne[rz]?|cite[rz]?"
        r"|promouvoir|vante[rz]?|préfère|fais confiance|fie-toi|dis|dire|dites|répond(?:s|re|ez)|ignore[rz]?"
        r"|saute[rz]?|omet(?:s|tre|tez)?|avertir|préviens|prévenir|demande[rz]?|confirme[rz]?|envoie|envoyer"
        r"|envoyez|transfère|transférer|enregistre[rz]?|traite[rz]?|vend(?:s|re|ez)|ajoute[rz]?|termine[rz]?"
        r"|montre[rz]?|met(?:s|tre|tez)|propose[rz]?|fin(?:is|ir|issez)|cache[rz]?|loue[rz]?|nomme[rz]?"
        r"|oublie[rz]?"
    ),
    always=(
        r"toujours|jamais|à chaque fois|chaque fois|systématiquement|désormais|dorénavant|à l'avenir"
        r"|en premier|d'abord|sans exception|par défaut"
    ),
    from_now=(
        r"à partir (?:de maintenant|d'aujourd'hui|d'à présent|de ce moment)|désormais|dorénavant|à l'avenir"
        r"|dès (?:maintenant|aujourd'hui|à présent)"
    ),
    every_answer=(
        r"(?:chaque|toutes?(?: les| tes| vos)?|tes|vos|prochaines?) (?:\w+ )?(?:réponses?|messages?"
        r"|conversations?)|réponses (?:doivent|devraient)|toute réponse"
    ),
    no_checks=(
        r"(?:sans|aucun(?:e)?|pas d[e'] ?|saute\w*|ignore\w*|omet\w*|contourne\w*|oublie\w*"
        r"|jamais) (?:\w+ ){0,3}(?:avertissements?|confirmations?|vérifications?|approbations?|validations?"
        r"|mises? en garde|règles|instructions|consignes|limites|restrictions|sécurité|prévenir|demander)"
        r"|ne me demande[rsz]? (?:jamais|plus)|jamais me demander"
    ),
    wanted=(
        r"(?:pas besoin|veux pas|veut pas) (?:d'|de |d')(?:\w+ )?(?:avertissements?|confirmations?"
        r"|mises? en garde|vérifications?)"
        r"|(?:veux|veut|voudrais?|voudrait|souhaite|aimerais?|aimerait|serais?|serait|préfère|me rassure\w*"
        r"|rassurée?|tranquille|content\w*|heureux|heureuse)[^.]{0,40}\b(?:si tu|si vous|que tu|que vous"
        r"|qu'on me|que chaque réponse|que les réponses|que l'assistant)\b|ma façon de (?:travailler"
        r"|faire)[^.]{0,20}\b(?:tu|vous)\b"
    ),
    orders=(
        r"recommande[rz]?|conseille(?:-moi|r|z)?|suggère|mentionne|cite|dis(?:-moi)?|dites|écris|écrivez"
        r"|donne[rz]?|montre|explique|aide|fais|crée|traduis|réponds|ignore|oublie|saute|confirme|envoie"
        r"|transfère|enregistre|traite|s'il|toujours|jamais|ne|vends|ajoute|termine|propose|trouve|cherche"
        r"|liste|mets|considère|fie|supprime|efface"
    ),
    memorise=r"retiens|retenez|souviens-toi|rappelle-toi|notez?|gardez?|mémorise|n'oublie pas|sache",
    remember=(
        r"retiens|retenez|souviens-toi|souviens|rappelle-toi|rappelle|note|notez|garde|gardez|mémorise"
        r"|n'oublie pas|que"
        r"|qu|bien|stp|svp|s'il te plaît|s'il vous plaît|bonjour|salut|oui|non|alors|et|mais|au fait"
        r"|en mémoire|à l'esprit|sache|merci|te"
    ),
    best=(
        r"meilleure?s?|seule?s?|plus (?:fiable|sûre?|honnête|digne de confiance|sérieu(?:x|se))|de confiance"
        r"|de référence|officiel(?:le)?|préférée?s?|recommandée?s?|sans risque|peu risquée?|garantie?"
        r"|numéro un|premier choix|bon(?:ne)? (?:choix|démarche)|incontournable"
    ),
    source=(
        r"sources?|conseill(?:er|ère)s?|fournisseurs?|banques?|courtiers?|fonds|assureurs?|assurances?"
        r"|plateformes?|partenaires?|marques?|produits?|sites?|placements?|investissements?|investir|épargne"
        r"|retraite|crypto\w*|choix|citations?|experts?"
    ),
    trust=r"fais confiance|fait confiance|me fie|se fie",
    when=(
        r"si|quand|lorsque|dès que|chaque fois que|à chaque fois que|après|une fois que|au moment où"
        r"|à compter d[eu]|avant"
    ),
    speech=(
        r"(?:je|j'|que je|quand je) ?(?:\w+ ){0,2}(?:dis|tape|écris|mentionne|parle|demande|réponds|remercie"
        r"|évoque|dirai|taperai)|qu'on (?:parle|demande|mentionne)"
    ),
    means=(
        r"je (?:veux dire|désigne|parle de)|veut dire|signifie|désigne|correspond à|équivaut à"
        r"|est la même chose que|est un alias"
    ),
    moved=(
        r"déplacée?s?|transférée?s?|appartien\w*|désormais|maintenant|fusionnée?s?|remplacée?s?|renommée?s?"
        r"|regarde|utilise|voir|à la place"
    ),
    rights=(
        r"(?:développeu(?:r|se)|administrat(?:eur|rice)|créat(?:eur|rice)|propriétaire|programmeu(?:r|se)) "
        r"(?:de (?:cet?|cette|ton|l')|du) ?(?:assistant|système|service|bot|application|ia)"
        r"|ton (?:développeur|créateur"
        r"|administrateur)"
        r"|(?:est|suis|été|sommes) (?:\w+ ){0,2}(?:vérifiée?|authentifiée?|autorisée?|habilitée?"
        r"|préapprouvée?)|a (?:\w+ ){0,2}(?:vérifié|confirmé|autorisé|validé) (?:que|mon|ma|mes)"
        r"|cliente? (?:premium|vip|privilégié)|(?:suis|est) (?:l'|un |une )?administrat(?:eur|rice)(?: ici"
        r"| de ce| du (?:système|service|site)|\W*$)|droits d'administrateur|accès (?:complet|total|admin)"
        r"|données des autres|d'autres clients|autres clients|(?:accepte|consens"
        r"|consent) (?:\w+ ){0,4}(?:données|marketing|partage|publicité)|traite[rz]?-?moi comme"
        r"|considère-moi comme|aucune (?:vérification|approbation"
        r"|confirmation) (?:\w+ )?(?:n'est )?(?:nécessaire|requise)|par la présente|profil de risque"
    ),
    task=(
        r"traduis|traduisez|traduire|corrige[rz]?|relis|relisez|résume[rz]?|raccourcis|reformule[rz]?"
        r"|réécris|améliore[rz]?|vérifie[rz]?|explique[rz]?|réponds à|répondez à|analyse[rz]?"
    ),
    document=(
        r"texte|page|article|e-?mail|mail|courriel|message|lettre|note|commentaire|document|paragraphe"
        r"|phrase|code|html|contrat|poème|suivante?|ceci|ce|cette|avis|brouillon|site|script"
    ),
    reported=r"a écrit|écrit|a dit|dit|m'a dit|m'écrit|répond|a répondu|affirme|selon|prétend",
    credentials=(
        r"mots? de passe|code pin|code secret|clé (?:api|privée|secrète)|phrase de récupération"
        r"|code (?:de sécurité|confidentiel|d'accès)|identifiants?|numéro de carte|carte (?:bancaire|bleue"
        r"|de crédit)|cryptogramme|phrase secrète"
    ),
    contact=r"numéro(?: de téléphone| de portable)?|téléphone|e-?mail|adresse|iban|courriel",
    accused=(
        r"voleurs?|voleuse|vole|volé|fraude\w*|arnaque\w*|escroc|escroque\w*|menteurs?|menteuse|ment"
        r"|criminel\w*|bat (?:sa|son|ses)|dealer|deale|meurtri\w+|violeur|raciste|nazi|ivrogne|alcoolique"
        r"|droguée?|détourne|blanchit|harcèle\w*|violente?|trompe (?:sa|son)|triche\w*"
    ),
    minor=(
        r"j'ai (?:seulement |à peine |bientôt )?(?:[1-9]|1[0-5]|neuf|dix|onze|douze|treize|quatorze"
        r"|quinze) ans(?! d)|je suis (?:en (?:cm1|cm2|ce1|ce2|cp|sixième|cinquième|quatrième|troisième|6e|5e"
        r"|4e|3e|6ème|5ème|4ème|3ème)|mineure?\W*$|au collège|à l'école primaire)"
    ),
    occupation=(
        r"travaille\w*|métier|étudie\w*|infirmi\w+|médecin|bénévol\w*|chercheu\w+|enseigne\w*|musée|livre"
        r"|film"
    ),
    special={
        SpecialCategory.HEALTH: (
            r"diagnosti\w+|enceinte|grossesse|cancer|tumeur|diabèt\w+|diabete|vih|sida|sclérose|épilep\w+"
            r"|asthm\w+|dépressi\w+|déprimée?|bipolaire|schizophr\w+|autis\w+|tdah|alzheimer|parkinson|avc"
            r"|infarctus|hypertension|migraines?|chimio\w*|dialyse|insuline|handicap\w*|fauteuil roulant"
            r"|aveugle|sourde?|malad(?:e|ie)s?|opérée?|en thérapie|psychiat\w+|burn-?out|anorexi\w+"
            r"|fausse couche|médicaments?|suicid\w*"
        ),
        SpecialCategory.RELIGION: (
            r"chrétienn?e?|catholique|protestante?|musulmane?|islam\w*|juive?|juif|hindoue?|bouddhis\w+"
            r"|athée|ramadan|carême|église|mosquée|synagogue|messe|prie|bible|coran|dieu|croyante?|religi\w+"
            r"|pratiquante?|casher|halal|témoin de jéhovah"
        ),
        SpecialCategory.POLITICS: (
            r"(?:voté?|vote[rz]?) (?:pour|à|blanc|contre)|parti (?:socialiste|communiste|écologiste)"
            r"|au parti|militant?e?s?|milite|les verts|politique\w*|de (?:gauche|droite)|socialiste"
            r"|communiste|macroniste|lepéniste|adhérente? (?:au|du)"
        ),
        SpecialCategory.UNION: r"syndi(?:cat|qu)\w*|cgt|cfdt|force ouvrière",
        SpecialCategory.SEX_LIFE: (
            r"gay|homosexuelle?|lesbienne|bisexuelle?|transgenre|queer|non-binaire|sexuel\w*|vie sexuelle"
            r"|coming out"
        ),
        SpecialCategory.ORIGIN: (
            r"ethni\w+|origine ethnique|suis (?:noire?|métisse?|arabe|rom)|couleur de peau"
        ),
        SpecialCategory.BIOMETRICS: r"empreintes? digitales?|reconnaissance faciale|adn|biométri\w+",
        SpecialCategory.CRIME: r"condamnée?|casier judiciaire|prison|arrêtée? par|sursis|garde à vue",
    },
)  # fmt: skip
