"""Languages that have no lists of their own: marks by which an order to an assistant can be suspected.

A text with such a mark is held, not dropped: the person decides. Anything else passes.
"""

from __future__ import annotations

import re

# "Recommend", "reply", "ignore", "mention" in the forms of an order, and names of an assistant: Polish,
# Czech, Russian, Ukrainian, Swedish, Danish, Norwegian, Finnish, Turkish, Greek, Romanian, Hungarian, Arabic,
# Persian, Hebrew, Hindi, Chinese, Japanese, Korean, Indonesian, Vietnamese.
_WORDS = re.compile(
    r"\b(?:pole[cć]a[jćmł]\w*|zalecaj|wspominaj|ignoruj\w*|odpowiadaj|asystent\w*|doporuč\w*|zmiňuj"
    r"|asistent\w*"
    r"|рекоменду(?:й|йте|ется|ем)|рекомендовать|советуй(?:те)?|советовать|упоминай(?:те)?|упоминать"
    r"|игнорируй\w*"
    r"|ассистент\w*|отвечай(?:те)?|рекомендуй(?:те)?|асистент\w*|згадуй\w*|ігноруй\w*"
    r"|rekommendera\w*|nämn|ignorera|assistenten|svara|anbefal\w*|nævn|nevn|ignorer|svar alltid|suosittele\w*"
    r"|mainitse|vastaa aina|avustaja\w*|öner(?:in|mek|meli\w*|iniz)?|tavsiye et\w*|bahset|görmezden"
    r"|asistan\w*"
    r"|οδηγί\w+|αγνοήσ\w+|προτείν\w+|σύστησε|σύστηνε|βοηθός|recomandă\w*|ignoră|asistentul|ajánl[dj]\w*"
    r"|említs\w*|asszisztens\w*"
    r"|rekomendasikan|sarankan|abaikan|asisten|chatgpt|gpt|chatbot|claude|gemini|copilot|instru[kc]\w*"
    r"|инструкц\w*|игнориров\w*|zaborav\w*|prompt)\b"
)
_UNSPACED = re.compile(
    "推荐|推薦|建议|忽略|无视|助手|回答|提及|一定要|必须|おすすめ|お勧め|勧め|推奨|無視|アシスタント|回答|返答|言及|必ず"
    "|추천|무시|지시|답변|언급|어시스턴트|반드시|giới thiệu|đề xuất|bỏ qua|trợ lý"
    "|اذكر|أذكر|أوص|اوص|يوصي|توصي|تنصح|انصح|تقترح|اقترح|رشح"
    "|تجاهل|المساعد|إجاب|توصیه|پیشنهاد کن|معرفی کن|نادیده|دستیار|پاسخ"
    "|המלץ|תמליץ|התעלם|העוזר|सुझा|सिफारिश|अनदेखा|सहायक"
)


# "Password" and "PIN", which a secret follows: with a figure in it, or in a script that it is not written in.
_SECRET = re.compile(
    r"(?:\b(?:hasło|heslo|lösenord\w*|passord\w*|adgangskode\w*|salasana\w*|jelszav?\w*|parol[aă]\w*|şifre\w*"
    r"|lozinka|kata sandi|mật khẩu|парол\w*|пін|пин(?:-?код)?|κωδικ\w+)|密码|密碼|パスワード"
    r"|暗証番号|비밀번호|كلمة (?:المرور|السر)|رمز عبور|סיסמ|पासवर्ड)[^\n]{0,30}?\d"
)
UNLISTED = "und"
"""The code of a language without lists, as in BCP 47 for one that is not determined."""

# Letters that no listed language has, and frequent words of languages in Latin letters without lists: Polish,
# Czech, Swedish, Danish, Norwegian, Finnish, Turkish, Romanian, Hungarian, Croatian, Indonesian.
_THEIR_LETTER = re.compile(
    r"[ąćęłńśźżčďěňřšťůžőűășşțţğıøåđ]|.{2}(?:[ıiuü]yorum|[ae]r[ıi]m|[ıiuü]r[ıiuü]m)$"  # and Turkish "I do"
)
_THEIR_WORDS = frozenset(
    """
    jestem mam mieszkam nie się jest moja mój moje mnie w z zawsze pracuję lubię bardzo jak ale
    jsem mám bydlím není můj moje vždy se ve pracuji
    jag är och att inte som har mitt mina heter bor på av jobbar alltid gillar
    jeg er og ikke har mit mitt bor på hos som alltid altid arbejder jobber liker vil
    minä olen ja ei asun minun aina että työskentelen pidän
    ben ve bir için çok bu var benim zaman evim yaşıyorum çalışıyorum değil
    sunt și eu mea meu meu locuiesc lucrez mereu cu din este în
    vagyok és nem egy az én van mindig lakom dolgozom
    ja sam živim radim moj moja uvijek
    saya dan tidak di yang adalah suka tinggal bekerja selalu punya
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+")


def is_unlisted(folded: str) -> bool:
    """Whether a third of a text's words, short ones that are chance not alone, are of a language in Latin
    letters without lists. A foreign name in a sentence does not make a language."""
    words = _WORD.findall(folded)
    theirs = [word for word in words if word in _THEIR_WORDS or _THEIR_LETTER.search(word)]
    sure = [word for word in theirs if len(word) > 3 or _THEIR_LETTER.search(word)]
    return bool(sure) and 3 * len(theirs) >= len(words)


def names_a_secret(folded: str) -> bool:
    """Whether a folded text tells a password in such a language."""
    return bool(_SECRET.search(folded))


def is_doubtful(folded: str) -> bool:
    """Whether a folded text in such a language may speak to an assistant."""
    return bool(_WORDS.search(folded) or _UNSPACED.search(folded))
