"""Portuguese."""

from __future__ import annotations

from noted.privacy.gate.categories import SpecialCategory
from noted.privacy.gate.languages.language import Language

PORTUGUESE = Language(
    code="pt",
    self_words=r"eu|me|mim|meu|minha|meus|minhas|nós|nosso|nossa|nossos|nossas|comigo|nos",
    subject=r"eu|nós|meus?|minhas?|noss[oa]s?",
    self_verbs=(
        r"(?:não |já |sempre |nunca |também |agora )?(?:\w{2,}o|sou|estou|vou|dou|sei|\w{2,}(?:ei|i)|fui|fiz"
        r"|tive|estive|tenho|\w{2,}(?:amos|emos|imos)|temos|\w{3,}(?:ava|ia)|casad[oa]|solteir[oa]"
        r"|alérgic[oa])\b"
    ),
    possessive=r"meu|minha|meus|minhas|nosso|nossa|nossos|nossas|o|a|os|as",
    close=(
        r"mãe|pai|pais|irmãs?|irmãos?|irmão|filh[oa]s?|espos[oa]|mulher|marido|companheir[oa]|namorad[oa]"
        r"|noiv[oa]|av[óô]s?|avós|ti[oa]s?|prim[oa]s?|sobrinh[oa]s?|sogr[oa]s?|cunhad[oa]s?|família|beb[êé]"
        r"|net[oa]s?"
    ),
    others=(
        r"colegas?|chefes?|patrão|patroa|vizinh[oa]s?|senhorio|senhoria|inquilin[oa]s?|ex|ex-marido"
        r"|ex-mulher|clientes?|pacientes?|professora?e?s?|médic[oa]|advogad[oa]|consultora?|amig[oa]s?"
        r"|alun[oa]s?|alguém"
    ),
    third=r"ele|ela|eles|elas|seu|sua|seus|suas|dele|dela|deles|delas",
    address=r"tu|você|vocês|teu|tua|teus|tuas|contigo",
    if_you=(
        r"(?:se|que|quando) (?:tu|você)|se me (?:deres|der|disseres|disser)|se (?:\w+ ){0,2}\w+(?:asses"
        r"|esses|isses)\b"
    ),
    you=r"o assistente|assistentes?|a ia|ia|o (?:chat)?bot|(?:chat)?bots?",
    must=(
        r"deves|deve|devem|devias|deveria|deverias|tens de|tens que|tem de|tem que|podes|pode|poderás|sempre"
        r"|nunca|jamais|só"
    ),
    you_must=r"deves|deverias|tens de|tens que",
    steer=(
        r"recomenda(?:r|me)?|recomende|recomendes|aconselha(?:r)?|aconselhe|sugere|sugerir|sugira"
        r"|menciona(?:r)?|mencione|promove(?:r)?|elogia(?:r)?|cita(?:r)?|cite|confia(?:r)?|prefere|preferir"
        r"|diz|dizer|diga|responde(?:r)?|responda|ignora(?:r)?|ignore|omite|omitir|omita|salta(?:r)?"
        r"|avisa(?:r)?|avise|pergunta(?:r)?|pergunte|confirma(?:r)?|confirme|envia(?:r)?|envie"
        r"|encaminha(?:r)?|encaminhe|guarda(?:r)?|guarde|regista(?:r)?|registra(?:r)?|trata(?:r)?|trate"
        r"|vende(?:r)?|venda|acrescenta(?:r)?|adiciona(?:r)?|adicione|termina(?:r)?|termine|mostra(?:r)?"
        r"|mostre|põe|pôr|inclui(?:r)?|inclua|nomeia|esquece(?:r)?|esqueça|peças|pedir"
    ),
    always=(
        r"sempre|nunca|jamais|cada vez|de cada vez|em todos os casos|a partir de agora|de agora em diante"
        r"|doravante|no futuro|primeiro|em primeiro lugar|sem exceção|por omissão"
    ),
    from_now=(
        r"(?:a partir de|desde) (?:agora|hoje|já)|de agora em diante|daqui em diante|doravante"
        r"|de hoje em diante"
    ),
    every_answer=(
        r"(?:cada|todas?(?: as| as tuas)?|em toda|tuas|suas|próximas) (?:\w+ )?(?:respostas?|mensagens?"
        r"|mensagem|conversas?)|respostas (?:devem|têm de)"
    ),
    no_checks=(
        r"(?:sem|nenhuma?|omit\w*|ignor\w*|salt\w*|pul\w*|evit\w*|esque\w*|nunca"
        r"|não me) (?:\w+ ){0,3}(?:avisos?|advertências?|confirmaç(?:ão|ões)|confirmar|verificaç(?:ão|ões)"
        r"|aprovaç(?:ão|ões)|regras|instruções|normas|limites|restrições|segurança|peças confirm\w+"
        r"|pedir confirm\w+)"
    ),
    wanted=(
        r"não (?:precis\w+|quer\w*|me peça\w*) (?:de )?(?:\w+ )?(?:avisos?|alertas?|confirmaç\w+|permissão)"
        r"|(?:quero|quer|queria|gostaria|gostava|prefiro|prefere|ficaria|ficava|estaria|me tranquiliza\w*"
        r"|tranquil[oa]|content[ea]|feliz|deseja)[^.]{0,40}\b(?:se me|se tu|se você|que tu|que você|que me"
        r"|que cada resposta|que as respostas|que o assistente|se sempre)\b"
        r"|minha forma de trabalhar[^.]{0,20}\b(?:tu|você|nunca|me)\b"
    ),
    orders=(
        r"recomenda|recomende|aconselha|sugere|menciona|cita|diz|diz-me|diga|escreve|escreva|dá-me|mostra"
        r"|mostre|explica|explique|ajuda|faz|faça|cria|crie|traduz|traduza|responde|responda|ignora|ignore"
        r"|esquece|esqueça|omite|confirma|confirme|envia|envie|encaminha|encaminhe|trata-me|trate|por favor"
        r"|não (?:me )?(?:peças|perguntes|avises|pergunte)|vende|venda|acrescenta|termina|termine|põe"
        r"|procura|encontra|lista|considera|inclui|inclua|apaga"
    ),
    memorise=r"lembra-te|lembra|lembre-se|recorda|anot[ae]|guarda|memoriza|tem em conta|não te esqueças",
    remember=(
        r"lembra-te|lembra|lembre-se|lembre|recorda|anota|anote|guarda|memoriza|tem em conta|não te esqueças"
        r"|que|por favor|olá|oi|sim|não|então|e|mas|já agora|em mente|na memória|de|obrigad[oa]"
    ),
    best=(
        r"melhor(?:es)?|únic[oa]s?|mais (?:fiável|confiável|segur[oa]|honest[oa]|séri[oa])|de confiança"
        r"|de referência|oficial|preferid[oa] para|recomendad[oa]|sem risco|baixo risco|garantid[oa]"
        r"|número um|primeira escolha|cert[oa]"
    ),
    source=(
        r"fontes?|consultor(?:a|es)?|fornecedor(?:a|es)?|bancos?|corretoras?|fundos?|seguradoras?"
        r"|plataformas?|parceir[oa]s?|marcas?|produtos?|sites?|investimentos?|investir|poupanças?|poupar"
        r"|pensões|reforma|cripto\w*|escolha|citações|especialistas?"
    ),
    trust=r"confio n[oa]|confia n[oa]|confio em|confia em",
    when=r"se|quando|sempre que|cada vez que|assim que|logo que|depois de|uma vez que|a partir do|após|antes",
    speech=(
        r"(?:eu )?(?:\w+ ){0,2}(?:disser|escrever|mencionar|perguntar|falar|responder|agradecer|digitar|digo"
        r"|escrevo|menciono|pergunto|falo)|se (?:mencionar|perguntar|falar)"
    ),
    means=r"quero dizer|refiro-me a|significa|quer dizer|refere-se a|equivale a|é o mesmo que",
    moved=(
        r"movid[oa]s?|transferid[oa]s?|pertence\w*|agora|fundid[oa]s?|substituíd[oa]s?|renomead[oa]|vê|usa"
        r"|em vez|veja"
    ),
    rights=(
        r"(?:desenvolvedor|programador|administrador|criador|don[oa])a? (?:deste|desta|do teu|do seu) "
        r"(?:assistente|sistema|serviço|bot|aplicativo|ia)|(?:o )?(?:teu|seu) (?:desenvolvedor|criador"
        r"|administrador)"
        r"|(?:é|sou|está|estou|foi|sido) (?:\w+ ){0,2}(?:verificad[oa]|autenticad[oa]|autorizad[oa]"
        r"|pré-aprovad[oa])|(?:já|tem|têm|sistema|suporte) (?:\w+ ){0,2}(?:verificou|confirmou|autorizou"
        r"|aprovou)|cliente (?:premium|vip|preferencial)|(?:sou|é) (?:o |a |um "
        r"|uma )?administrador[a]?(?: aqui| deste| do sistema| da plataforma|\W*$)"
        r"|permissões de administrador|acesso (?:total|completo|de administrador)|dados de outros"
        r"|outros clientes|(?:aceito|aceita|consinto|consente|autorizo|concordo"
        r"|concorda) (?:\w+ ){0,4}(?:dados|marketing|publicidade|partilha|chamadas)|trata-me como"
        r"|trate-me como|(?:não|nenhuma) (?:\w+ ){0,2}(?:verificação|aprovação"
        r"|confirmação) (?:\w+ )?(?:necessária|é precisa)|pela presente|perfil de risco"
    ),
    task=(
        r"traduz|traduza|traduzir|corrige|corrija|revê|reveja|resume|resuma|resumir|encurta|parafraseia"
        r"|reescreve|melhora|explica|responde a|analisa"
    ),
    document=(
        r"texto|página|artigo|e-?mail|mail|mensagem|carta|nota|comentário|documento|parágrafo|frase|código"
        r"|html|contrato|poema|seguinte|isto|este|esta|crítica|rascunho|site"
    ),
    reported=r"escreveu|escreve|disse|diz|disse-me|respondeu|responde|afirma|segundo|alega",
    credentials=(
        r"palavra-passe|senhas?|código (?:pin|secreto|de segurança|de acesso)|pin|chave (?:api|privada"
        r"|secreta)|frase (?:semente|de recuperação)|credenciais|número do cartão|cartão de crédito|cvv"
    ),
    contact=r"número(?: de telefone| de telemóvel)?|telefone|telemóvel|celular|e-?mail|morada|endereço|iban",
    accused=(
        r"ladr(?:ão|a|ões)|rouba|roubou|burl\w+|fraude\w*|mentiros[oa]|mente|criminoso|criminosa|bate (?:na"
        r"|no|nos)|trafica\w*|assassin[oa]|violador|racista|nazi|bêbad[oa]|alcoólic[oa]|drogad[oa]"
        r"|desvia dinheiro|lava dinheiro|assedi\w+|violent[oa]|corrupt[oa]|trai"
    ),
    minor=(
        r"(?:tenho|tem) (?:só |apenas )?(?:[1-9]|1[0-5]|nove|dez|onze|doze|treze|catorze|quatorze"
        r"|quinze) anos(?! de)(?=\W*(?:$|[.,;!]|e\b))|(?:ando|estou) no (?:[1-9]\.?º|primeiro|segundo"
        r"|terceiro|quarto|quinto|sexto|sétimo|oitavo|nono) ano|sou menor(?: de idade)?\W*$"
    ),
    occupation=r"trabalh\w+|estud\w+|enferm\w+|médic[oa]|voluntári\w+|investig\w+|ensin\w+|museu|livro|filme",
    special={
        SpecialCategory.HEALTH: (
            r"diagn[oó]sti\w+|diagnosticad[oa]|grávida|gravidez|cancro|câncer|tumor|diab[eé]t\w+|vih|hiv"
            r"|sida|aids|esclerose|epilep\w+|epilético|asma|depress\w+|deprimid[oa]|bipolar|esquizofr\w+"
            r"|autis\w+|phda|tdah|alzheimer|parkinson|avc|enfarte|infarto|hipertens\w+|enxaquecas?|quimio\w*"
            r"|diálise|insulina|deficien\w+|cadeira de rodas|ceg[oa]|surd[oa]|doen(?:te|ça)\w*|operad[oa]"
            r"|em terapia|psiqui\w+|anorexia|bulimia|aborto|medicamentos?|medicação|suic[ií]d\w*"
        ),
        SpecialCategory.RELIGION: (
            r"crist(?:ão|ã)|católic[oa]|protestante|evangélic[oa]|muçulman[oa]|isl[aâ]m\w*|jud(?:eu|ia)"
            r"|hindu|budis\w+|ateu|ateia|ramadão|ramadã|quaresma|igreja|mesquita|sinagoga|missa|rezo|reza"
            r"|bíblia|corão|alcorão|deus|crente|religi\w+|testemunha de jeová|praticante|halal"
        ),
        SpecialCategory.POLITICS: (
            r"vot(?:ei|o|a|ou|ar) (?:no|na|em|nos|pelo)|partido|militante|filiad[oa] (?:no|ao)"
            r"|de (?:esquerda|direita)|polític\w+|comunista|socialista|bolsonarista|petista"
        ),
        SpecialCategory.UNION: r"sindica\w+|cgtp|ugt",
        SpecialCategory.SEX_LIFE: (
            r"gay|homossexual|lésbica|bissexual|transexual|transgénero|transgênero|queer|não binári[oa]"
            r"|vida sexual|sexual\w*"
        ),
        SpecialCategory.ORIGIN: (
            r"étnic\w+|etnia|sou (?:negr[oa]|mulat[oa]|mestiç[oa]|cigan[oa]|pard[oa]|indígena)|cor da pele"
        ),
        SpecialCategory.BIOMETRICS: (
            r"impress(?:ão|ões) digita(?:l|is)|reconhecimento facial|adn|dna|biométri\w+"
        ),
        SpecialCategory.CRIME: (
            r"condenad[oa]|antecedentes criminais|cadeia|prisão|detid[oa]|pena suspensa|registo criminal"
        ),
    },
)  # fmt: skip
