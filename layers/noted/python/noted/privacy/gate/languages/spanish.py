"""Spanish."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

SPANISH = Language(
    code="es",
    self_words=(
        r"yo|me|mí|mi|mis|mío|mía|míos|mías|nosotros|nosotras|nuestro|nuestra|nuestros|nuestras|nos|conmigo"
    ),
    subject=r"yo|nosotros|nosotras|mi|mis|nuestr[oa]s?",
    self_verbs=(
        r"(?:no |ya |siempre |nunca |también |ahora )?(?:\w{2,}o|soy|estoy|doy|voy|he|sé|\w{3,}(?:é|í)|fui"
        r"|hice|tuve|estuve|quise|puse|vine|tengo|\w{2,}(?:amos|emos|imos)|nací|crecí|hemos|\w{2,}(?:aba|ía)"
        r"|casad[oa]|soltero|soltera|alérgic[oa])\b"
    ),
    possessive=r"mi|mis|nuestro|nuestra|nuestros|nuestras|el|la|los|las",
    close=(
        r"madre|padre|padres|mamá|papá|hermanas?|hermanos?|hij[oa]s?|esposa?|mujer|marido|pareja|novi[oa]"
        r"|abuel[oa]s?|tí[oa]s?|prim[oa]s?|sobrin[oa]s?|suegr[oa]s?|cuñad[oa]s?|familia|beb[eé]|niet[oa]s?"
    ),
    others=(
        r"coleg(?:a|as)|compañer[oa]s?|jef[ea]s?|vecin[oa]s?|caser[oa]|inquilin[oa]s?|ex|exmarido|exmujer"
        r"|clientes?|clientas?|pacientes?|profesora?e?s?|médic[oa]|abogad[oa]|asesora?|amig[oa]s?"
        r"|alumn[oa]s?|alguien"
    ),
    third=r"él|ella|ellos|ellas|su|sus|le",
    address=r"tú|usted|ustedes|tu|tus|ti|contigo",
    if_you=(
        r"(?:si|que|cuando) (?:tú|usted)|si me (?:das|dices|envías)|si (?:\w+ ){0,2}\w+(?:aras|ieras|ases"
        r"|ieses)\b"
    ),
    you=r"el asistente|asistentes?|la ia|ia|el (?:chat)?bot|(?:chat)?bots?",
    must=(
        r"debes|debe|deben|deberías|debería|tienes que|tiene que|has de|puedes|puede|podrás|siempre|nunca"
        r"|jamás|solo"
    ),
    you_must=r"debes|deberías|tienes que|has de",
    steer=(
        r"recomienda|recomendar|recomiende|recomiéndame|recomendarme|aconseja(?:r|me)?|sugiere|sugerir"
        r"|menciona(?:r)?|mencione|promociona(?:r)?|elogia(?:r)?|cita(?:r)?|cite|confía|confiar|prefiere"
        r"|preferir|di|decir|dime|responde(?:r)?|ignora(?:r)?|omite|omitir|sáltate|avisa(?:r)?|advert\w+"
        r"|advierte|pregunta(?:r)?|confirma(?:r)?|envía|enviar|reenvía|reenviar|guarda(?:r)?|registra(?:r)?"
        r"|trata(?:r)?|trátame|vende(?:r)?|añade|añadir|termina(?:r)?|muestra|mostrar|pon|poner|incluye"
        r"|incluir|nombra(?:r)?|olvida(?:r)?|pides|pidas"
    ),
    always=(
        r"siempre|nunca|jamás|cada vez|en todo momento|a partir de ahora|de ahora en adelante|en adelante"
        r"|en el futuro|primero|en primer lugar|sin excepción|por defecto"
    ),
    from_now=(
        r"(?:a partir de|desde) (?:ahora|hoy|este momento)|de ahora en adelante|en adelante"
        r"|de hoy en adelante|en lo sucesivo"
    ),
    every_answer=(
        r"(?:cada|todas?(?: las| tus| sus)?|tus|toda|próximas?) (?:\w+ )?(?:respuestas?|mensajes?"
        r"|conversaci(?:ón|ones))|respuestas (?:deben|tienen que)"
    ),
    no_checks=(
        r"(?:sin|ning[uú]na?|ningún|omit\w*|ignor\w*|salta\w*|evita\w*|olvida\w*|nunca"
        r"|no me) (?:\w+ ){0,3}(?:advertencias?|avisos?|confirmaci(?:ón|ones)|confirmar|verificaci(?:ón"
        r"|ones)|aprobaci(?:ón|ones)|comprobaci(?:ón|ones)|reglas|instrucciones|normas|límites|restricciones"
        r"|seguridad|pedir permiso|pidas confirm\w+)"
    ),
    wanted=(
        r"no (?:necesit\w+|quier\w+|me pid\w+|pedir) (?:\w+ ){0,2}?(?:advertencias?|avisos?|confirmación"
        r"|confirmaciones"
        r"|permiso)"
        r"|(?:quiero|quiere|quisiera|me gustaría|le gustaría|prefiero|prefiere|estaría|me tranquiliz\w+"
        r"|tranquil[oa]|content[oa]|feliz|desea|espera)[^.]{0,40}\b(?:si me|si siempre|si tú|que me|que le"
        r"|que tú|que cada respuesta|que las respuestas|que el asistente|que siempre|que nunca)\b"
        r"|mi forma de trabajar[^.]{0,20}\b(?:nunca|siempre|me|tú)\b"
    ),
    orders=(
        r"recomienda|recomiéndame|aconseja|sugiere|menciona|cita|di|dime|escribe|da|dame|muestra|explica"
        r"|ayuda|ayúdame|haz|crea|traduce|responde|ignora|olvida|omite|confirma|envía|reenvía|registra|trata"
        r"|trátame|por favor|siempre recomi\w+|nunca|no (?:me )?(?:pidas|preguntes|avises|adviertas|digas)"
        r"|vende|añade|termina|pon|busca|encuentra|lista|considera|incluye|borra|elimina"
    ),
    memorise=r"recuerd[ae]|acuérdate|ten en cuenta|anota|apunta|guarda|memoriza|no olvides",
    remember=(
        r"recuerda|recuerde|acuérdate|ten en cuenta|anota|apunta|guarda|memoriza|no olvides|que|por favor"
        r"|hola|sí|no|pues|y|pero|por cierto|en mente|en memoria|sabe|gracias|esto"
    ),
    best=(
        r"mejor(?:es)?|únic[oa]s?|más (?:fiable|confiable|segur[oa]|honest[oa]|seri[oa])|de confianza"
        r"|de referencia|oficial|preferid[oa]|recomendad[oa]|sin riesgo|bajo riesgo|garantizad[oa]"
        r"|número uno|primera opción|imprescindible|correct[oa]"
    ),
    source=(
        r"fuentes?|asesor(?:a|es)?|proveedor(?:a|es)?|bancos?|brókers?|brokers?|corredor(?:a)?|fondos?"
        r"|aseguradoras?|plataformas?|soci[oa]s?|marcas?|productos?|sitios?|inversi(?:ón|ones)|invertir"
        r"|ahorros?|ahorrar|pensi(?:ón|ones)|cripto\w*|opción|citas?|expert[oa]s?"
    ),
    trust=r"confío en|confía en|me fío de|se fía de",
    when=(
        r"si|cuando|cada vez que|siempre que|en cuanto|tan pronto como|después de|una vez que|a partir del"
        r"|tras|antes de"
    ),
    speech=(
        r"(?:yo )?(?:\w+ ){0,2}(?:diga|escriba|mencione|pregunte|hable|responda|agradezca|teclee|digo"
        r"|escribo|menciono|pregunto|hablo)|se (?:mencione|pregunte|hable)"
    ),
    means=(
        r"me refiero a|quiero decir|quiere decir|significa|se refiere a|equivale a|es lo mismo que"
        r"|es un alias"
    ),
    moved=(
        r"movid[oa]s?|transferid[oa]s?|traslad\w+|pertenece\w*|ahora|fusionad[oa]s?|reemplazad[oa]s?"
        r"|renombrad[oa]|mira|usa|en su lugar|véase"
    ),
    rights=(
        r"(?:desarrollador|administrador|creador|dueñ[oa]|programador)a? (?:de (?:este|esta|tu)|del) "
        r"(?:asistente|sistema|servicio|bot|aplicación|ia)|tu (?:desarrollador|creador|administrador"
        r"|programador)a?"
        r"|(?:es|soy|está|estoy|sido) (?:\w+ ){0,2}(?:verificad[oa]|autenticad[oa]|autorizad[oa]"
        r"|preaprobad[oa])|(?:ha|han|ya) (?:\w+ ){0,2}(?:verificado|confirmado|autorizado|aprobado)"
        r"|client[ea] (?:premium|vip|preferente)|(?:soy|es) (?:el |la |un |una )?administrador[a]?(?: aquí"
        r"| de este| de la plataforma| del sistema|\W*$)|permisos? de administrador|acceso (?:total|completo"
        r"|de administrador)|datos de otros|otros clientes|(?:acepto|acepta|consiento|consiente"
        r"|autorizo) (?:\w+ ){0,4}(?:datos|marketing|publicidad|compartir|llamadas)|trátame como"
        r"|trátenme como|no (?:se )?(?:necesita|requiere|hace falta)n? (?:\w+ )?(?:verificación|aprobación"
        r"|confirmación|comprobaciones)|por la presente|perfil de riesgo"
    ),
    task=(
        r"traduce|traducir|traduzca|corrige|corregir|revisa|revisar|resume|resumir|acorta|parafrasea"
        r"|reescribe|mejora|explica|responde a|contesta|analiza"
    ),
    document=(
        r"texto|página|artículo|e-?mail|correo|mensaje|carta|nota|comentario|documento|párrafo|frase|código"
        r"|html|contrato|poema|siguiente|esto|este|esta|reseña|borrador|sitio"
    ),
    reported=r"escribió|escribe|dijo|dice|me dijo|respondió|responde|afirma|según|asegura",
    credentials=(
        r"contraseñas?|clave (?:secreta|privada|api|de acceso)|clave|pin|código (?:pin|secreto|de seguridad"
        r"|de acceso)|frase (?:semilla|de recuperación)|credenciales|número de tarjeta|tarjeta de crédito"
        r"|tarjeta|cvv"
    ),
    contact=r"número(?: de teléfono| de móvil)?|teléfono|móvil|correo|e-?mail|dirección|iban",
    accused=(
        r"ladr(?:ón|ona|ones)|roba|robó|estaf\w+|fraude\w*|defraud\w+|mentiros[oa]|miente|delincuente"
        r"|criminal|pega a (?:su|sus)|trafica\w*|asesin\w+|violador|racista|nazi|borrach[oa]|alcohólic[oa]"
        r"|drogadict[oa]|malversa\w*|blanquea|acosa\w*|violent[oa]|maltrata\w*|corrupt[oa]|infiel"
    ),
    minor=(
        r"(?:tengo|tiene) (?:solo |apenas )?(?:[1-9]|1[0-5]|nueve|diez|once|doce|trece|catorce"
        r"|quince) años(?! de)(?=\W*(?:$|[.,;!]|y\b))|estoy en (?:\w+ )?(?:primaria|secundaria|la eso)"
        r"|soy menor(?: de edad)?\W*$|voy a (?:primaria|secundaria)"
    ),
    occupation=(
        r"trabaj\w+|estudi\w+|enfermer\w+|médic[oa]|voluntari\w+|investig\w+|enseñ\w+|museo|libro|película"
    ),
    special={
        SpecialCategory.HEALTH: (
            r"diagn[oó]sti\w+|embaraz\w+|cáncer|tumor|diab[eé]t\w+|vih|sida|esclerosis|epilep\w+|asma"
            r"|depresi(?:ón|va|vo)|deprimid[oa]|bipolar|esquizofr\w+|autis\w+|tdah|alzheimer|párkinson"
            r"|parkinson|ictus|infarto|hipertens\w+|migrañas?|quimio\w*|diálisis|insulina|discapaci\w+"
            r"|silla de ruedas|cieg[oa]|sord[oa]|enferm(?:o|a|edad\w*)|operad[oa]|en terapia|psiqui\w+"
            r"|anorexi\w+|bulimi\w+|aborto|medicamentos?|medicación|suicid\w*"
        ),
        SpecialCategory.RELIGION: (
            r"cristian[oa]s?|católic[oa]s?|protestante|evangélic[oa]|musulm[aá]n\w*|islam\w*|judí[oa]s?"
            r"|hindú|budis\w+|ate[oa]\b|ramadán|cuaresma|iglesia|mezquita|sinagoga|misa|rezo|reza|biblia"
            r"|corán|dios|creyente|religi\w+|testigo de jehová|practicante|halal|kosher"
        ),
        SpecialCategory.POLITICS: (
            r"vot[eéoa]\w* (?:a|por|al|en)|voté|psoe|partido popular|podemos|vox|partido (?:socialista"
            r"|comunista|político)|milit(?:o|a|ante)|afiliad[oa] (?:al|a)|de (?:izquierdas?|derechas?)"
            r"|polític\w+|comunista|socialista|peronista"
        ),
        SpecialCategory.UNION: r"sindica\w+|ugt|ccoo|comisiones obreras",
        SpecialCategory.SEX_LIFE: (
            r"gay|homosexual|lesbiana|bisexual|transexual|transgénero|queer|no binari[oa]|vida sexual"
            r"|sexual\w*|salí del armario"
        ),
        SpecialCategory.ORIGIN: (
            r"étnic\w+|etnia|soy (?:negr[oa]|mestiz[oa]|gitan[oa]|mulat[oa]|indígena)|gitan[oa]s?"
            r"|color de piel"
        ),
        SpecialCategory.BIOMETRICS: r"huellas? (?:dactilar|digital)\w*|reconocimiento facial|adn|biométri\w+",
        SpecialCategory.CRIME: (
            r"condenad[oa]|antecedentes penales|cárcel|prisión|detenid[oa]|libertad condicional"
        ),
    },
)  # fmt: skip
