"""Links in a model's answer, on their way out.

An image is fetched by whoever shows the answer, and a link is one touch away: both can carry what stands in a
prompt to any host, whatever talked the model into writing them. So a link stays only if its host is one that
the deployer allows, or if the user typed that very link in this message; what is left of another one is its
text. Images, Markdown and HTML are told by CommonMark 0.31 and by what clients turn into links by themselves
(GitHub's autolinks, bare hosts with a path).

Text may come in pieces that end anywhere: what could still become a link is held back, and nothing else. The
pieces joined are the same as the whole text done at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import urlsplit

from noted.text.links import TOP_LEVEL, is_dotnet

NO_LINK = "(link removed)"
NO_IMAGE = "(image removed)"

# Longer than any link that somebody reads: from here on it is swallowed without a look at where it leads.
_LONGEST = 2_000
_LONGEST_ALT = 300
_CONTEXT = 300  # characters before a place that tell what begins there: the longest name of a host

_WEB = ("http", "https", "ftp", "ftps", "ws", "wss", "file")
_ELSE = ("javascript", "vbscript", "mailto", "data", "tel", "sms")
# What fetches, frames, sends or leads elsewhere. Other tags are drawn, and addresses in them go as any other.
_TAGS = tuple(
    """a applet area audio base body button embed form frame frameset iframe image img input link map math
    meta object picture portal script source style svg track video""".split()
)
_HELD_NAMES = (*_WEB, *_ELSE, *_TAGS)

# A placeholder is part of a link: its value would be, too.
_RUN = r"(?:[^\s<>\"`]|<[A-Z_]{1,20}_[A-Z]{1,2}>)"
_OPENING = re.compile(
    r"(?P<image>!(?=\[|\Z))"
    r"|(?P<target>\](?=\(|\Z))"
    r"|(?P<tag><(?=[A-Za-z/]|\Z))"
    rf"|(?P<web>(?<![A-Za-z])(?i:{'|'.join(_WEB)}):(?://|\\\\))"
    # Behind letters, of which the last are a scheme: what was a word before is left.
    rf"|(?P<inner>(?i:{'|'.join(f'(?<={name})' for name in _WEB)}):(?://|\\\\))"
    r"|(?P<else>(?<![A-Za-z])(?:(?i:javascript|vbscript):(?=\S)|(?i:mailto):(?=[^\s@]{1,64}@)|(?i:tel|sms):(?=[+\d])"
    r"|(?i:data):(?=[A-Za-z]+/[\w.+-]+[;,])))"
    r"|(?P<www>(?<![\w.@/-])(?i:www)\d?\.(?=\w))"
    r"|(?P<relative>(?<![\w:/])//(?=[\w-]{1,63}\.\w))"
    r"|(?P<path>(?<=[^\W\d_])(?::\d{1,5})?[/?#](?=[^\s<>\"`]))"
)
_RUN_PATTERN = re.compile(f"{_RUN}*")
_TOKEN_SO_FAR = re.compile(r"(?:<[A-Z_]{0,23})?")
# The same in code, where brackets and tags are code: only what names another host.
_NAMES_A_HOST = ("web", "inner", "relative")
# Behind `://` as well: a scheme may be written so that only a reader's client knows it (`&#104;ttps`).
_HOST = re.compile(
    r"(?:(?<![\w.@/-])|(?<=://))(?P<labels>(?:[^\W_](?:[^\W_]|-){0,62}\.){1,8})(?P<top>[^\W\d_]{2,24})\Z"
)
_DESTINATION = re.compile(
    r"\s*(?:<(?P<angled>[^<>\n]*)>|(?P<plain>\S*))(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*"
)
# What can name no other host, in any spelling: a place in the same page, or the arguments of a call.
_STAYS_HERE = re.compile(r"(?!\s*<?\s*[/\\])[^:&\\]*")
_TAG_NAME = re.compile(r"</?(?P<name>[A-Za-z][A-Za-z0-9]*)?")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)")
_SCHEME_ALONE = re.compile(r"[A-Za-z]*:(?://|\\\\)")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_TRAILING = ".,;:!?'*_~\u2019\u201d\u00bb"
_PAIRS = {")": "(", "]": "[", "}": "{"}
# What may be the beginning of an opening: from here on the end of a text is held.
_SCHEMES = sorted((*_WEB, *_ELSE, "www"), key=len, reverse=True)
_SO_FAR = re.compile(
    "|".join(
        (
            r"(?<![A-Za-z])(?:"
            + "|".join(f"{'(?:'.join(name)}{')?' * (len(name) - 1)}" for name in _SCHEMES)
            + r")\Z",
            rf"(?<![A-Za-z])(?:{'|'.join(_WEB)}):[/\\]?\Z",
            r":[/\\]?\Z",
            (
                r"(?<![A-Za-z])(?:(?:javascript|vbscript|tel|sms):\Z|mailto:[^\s@]{0,64}\Z"
                r"|data:(?:[a-z]+/?|[a-z]+/[\w.+-]+)?\Z)"
            ),
            r"(?<![\w.@/-])www\d?\.?\Z",
            r"(?<![\w:/])//?(?:(?<=//)[\w-]{1,63}\.?)?\Z",
            r"(?<=[^\W\d_])(?::\d{1,5}[/?#]?|[/?#])\Z",
        )
    ),
    re.IGNORECASE,
)


class LinkFilter:
    """Takes the links out of one text. `hosts` are those that links may lead to, `typed` what the user typed
    in the message that is answered."""

    def __init__(self, hosts: Collection[str] = (), typed: str = "") -> None:
        self._hosts = frozenset(host.casefold() for host in hosts)
        self._typed = links_in(typed)
        self._raw = ""
        self._done = 0
        self._final = False
        self._swallowing = False
        self._code = _Code()
        self._shown: list[str] = []
        self._blank = True
        self._removed = False

    def feed(self, piece: str) -> str:
        """Takes the next piece; returns what can be shown now."""
        cut = max(0, self._done - _CONTEXT)
        self._raw, self._done = self._raw[cut:] + piece, self._done - cut
        return self._advanced()

    def finish(self) -> str:
        """Returns what was held back: no more will come."""
        self._final = True
        rest = self._advanced()
        if self._blank and self._removed:
            return rest + NO_LINK  # an answer that was nothing else is told as one all the same
        return rest

    def _advanced(self) -> str:
        self._shown = []
        while self._done < len(self._raw) and self._step():
            continue
        return "".join(self._shown)

    def _step(self) -> bool:
        """Goes on behind the next opening, or as far as is sure. False if more is needed first."""
        if self._swallowing:
            end = _run_end(self._raw, self._done)
            goes_on = self._may_go_on(end)
            self._swallowing, self._done = goes_on, end
            return not goes_on
        found = _OPENING.search(self._raw, self._done)
        if found is None:
            self._pass(self._sure_end())
            return False
        unsure = self._sure_end()
        if unsure < found.start():
            self._pass(unsure)
            return False
        self._pass(found.start())
        kind = found.lastgroup or ""
        if self._code.inside and not self._counts_in_code(kind, found.start()):
            self._pass(found.start() + 1)
            return True
        read = {"image": self._image, "target": self._target, "tag": self._tag, "path": self._path}
        return read.get(kind, self._address)()

    def _counts_in_code(self, kind: str, place: int) -> bool:
        if kind == "relative":  # not a comment that begins with two slashes
            return place > 0 and self._raw[place - 1] in "(='\"<"
        return kind in _NAMES_A_HOST

    def _sure_end(self) -> int:
        """From where on what there is could become an opening once there is more."""
        if self._final:
            return len(self._raw)
        # No beginning is longer than this.
        found = _SO_FAR.search(self._raw, max(self._done, len(self._raw) - 80))
        return found.start() if found else len(self._raw)

    def _address(self) -> bool:
        """A bare address."""
        start = self._done
        end = _run_end(self._raw, start)
        if end - start > _LONGEST:
            self._say(NO_LINK, end)
            self._swallowing = True
            return True
        if self._may_go_on(end):
            return False
        run = self._raw[start:end]
        address = _trimmed(run)
        stays = self._may_stay(address) or _SCHEME_ALONE.fullmatch(run) or self._runs_here(address)
        self._say(address if stays else NO_LINK, start + len(address))
        return True

    def _may_go_on(self, end: int) -> bool:
        """Whether a run that ends here could be longer once there is more."""
        return not self._final and _TOKEN_SO_FAR.fullmatch(self._raw, end) is not None

    def _path(self) -> bool:
        """What follows the name of a host."""
        start = self._done
        host = _host_before(self._raw, start)
        if host is None:
            self._pass(start + 1)
            return True
        end = _run_end(self._raw, start)
        if end - start <= _LONGEST and self._may_go_on(end):
            return False
        path = _trimmed(self._raw[start:end])
        self._swallowing = end - start > _LONGEST
        self._say(path if self._may_stay(host + path) else f" {NO_LINK}", start + len(path))
        return True

    def _image(self) -> bool:
        start = self._done
        behind = self._raw[start + 1 :]
        alt = re.match(rf"\[([^\[\]\n]{{0,{_LONGEST_ALT}}})(\]?)", behind)
        whole = start + 1 + (alt.end() if alt else 0)
        if not self._final and (alt is None or whole == len(self._raw)) and len(behind) <= _LONGEST_ALT + 1:
            return self._waits_or_passes(alt is not None or not behind)
        if alt is None:
            self._pass(start + 1)
            return True
        if not alt[2] or self._raw[whole : whole + 1] != "(":
            self._say("", start + 1)  # what is left is a pair of brackets
            return True
        target = _parenthesised(self._raw, whole)
        if target is None and not self._final and len(self._raw) - whole <= _LONGEST:
            return False
        if target is None:
            self._say("", start + 1)
        elif self._leads_to_allowed(self._raw[whole + 1 : target - 1]):
            self._pass(target)
        else:
            self._say(alt[1].strip() or NO_IMAGE, target)
        return True

    def _waits_or_passes(self, waits: bool) -> bool:
        if waits:
            return False
        self._pass(self._done + 1)
        return True

    def _target(self) -> bool:
        """Where the text of a link leads to."""
        start = self._done
        if start + 1 == len(self._raw):
            return self._waits_or_passes(not self._final)
        end = _parenthesised(self._raw, start + 1)
        if end is None and not self._final and len(self._raw) - start <= _LONGEST:
            return False
        inside = self._raw[start + 2 : end - 1] if end else ""
        if end and (_STAYS_HERE.fullmatch(inside) or self._leads_to_allowed(inside)):
            self._pass(end)
        elif end is None or not _DESTINATION.fullmatch(inside):
            self._say("] (", start + 2)  # no link: nobody who reads it more kindly makes one of it
        else:
            self._say("]", end)
        return True

    def _tag(self) -> bool:
        start = self._done
        found = _TAG_NAME.match(self._raw, start)
        name = (found["name"] or "").casefold() if found else ""
        end = found.end() if found else start + 1
        if end == len(self._raw) and not self._final:
            return self._waits_or_passes(any(each.startswith(name) for each in _HELD_NAMES))
        behind = self._raw[end : end + 1]
        if name not in _TAGS or not (not behind or behind in ">/" or behind.isspace()):
            self._pass(start + 1)
            return True
        closing = self._raw.find(">", end, start + _LONGEST)
        if closing < 0 and not self._final and len(self._raw) - start < _LONGEST:
            return False
        if closing < 0:
            self._say("\u2039", start + 1)
        else:
            self._removed = True
            self._say("", closing + 1)
        return True

    def _leads_to_allowed(self, inside: str) -> bool:
        destination = _DESTINATION.fullmatch(inside)
        if destination is None:
            return False
        return self._may_stay(destination["angled"] or destination["plain"] or "")

    def _runs_here(self, address: str) -> bool:
        """Whether code calls the machine that it runs on, which tells nobody elsewhere."""
        return self._code.inside and host_of(address) in _LOOPBACK

    def _may_stay(self, address: str) -> bool:
        return address in self._typed or host_of(address) in self._hosts

    def _pass(self, until: int) -> None:
        if until > self._done:
            self._say(self._raw[self._done : until], until)

    def _say(self, text: str, until: int) -> None:
        self._shown.append(text)
        self._blank = self._blank and not text.strip()
        self._code.read(text)
        self._done = until


def without_links(text: str, hosts: Collection[str] = (), typed: str = "") -> str:
    """A whole text at once."""
    links = LinkFilter(hosts, typed)
    return links.feed(text) + links.finish()


def links_in(text: str) -> frozenset[str]:
    """The addresses that are written in a text, letter by letter."""
    found, end = set(), 0
    for opening in _OPENING.finditer(text):
        start = opening.start()
        if start < end:
            continue  # a part of the address before
        if opening.lastgroup == "path":
            host = _host_before(text, start)
        else:
            host = "" if opening.lastgroup in ("web", "else", "www", "relative") else None
        if host is not None:
            end = _run_end(text, start)
            found.add(host + _trimmed(text[start:end]))
    return frozenset(found)


def host_of(address: str) -> str | None:
    """The host of a web address, as every client reads it; None where two clients could read two."""
    if not address.isascii() or any(mark in address for mark in "\\@ \t\r\n"):
        return None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return host if parts.scheme in ("http", "https") and host and parts.netloc else None


def _host_before(text: str, end: int) -> str | None:
    """The name of a host that ends at `end`, as it is written."""
    host = _HOST.search(text[max(0, end - _CONTEXT) : end])
    if host is None or is_dotnet(host.group()):
        return None
    top = host["top"]
    # One in mixed case is the next sentence, written without a blank.
    return host.group() if top.lower() in TOP_LEVEL and top in (top.lower(), top.upper()) else None


def _run_end(text: str, start: int) -> int:
    run = _RUN_PATTERN.match(text, start)
    return run.end() if run else start


def _trimmed(run: str) -> str:
    """An address without the marks of the sentence around it."""
    while run:
        last = run[-1]
        closes = last in _PAIRS and run.count(last) > run.count(_PAIRS[last])
        if not closes and last not in _TRAILING:
            break
        run = run[:-1]
    return run


def _parenthesised(text: str, start: int) -> int | None:
    """Behind the bracket that closes the one at `start`; None where there is none before a blank line, or
    within the longest link."""
    depth = 0
    for place in range(start, min(len(text), start + _LONGEST)):
        character = text[place]
        if character == "\n" and text[place + 1 : place + 2] == "\n":
            return None
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place + 1
    return None


class _Code:
    """Whether a text that is read in pieces is inside a fenced block of code (CommonMark 0.31, section 4.5).
    One in a quotation or a list does not count: it ends with what it stands in."""

    _LONGEST_LINE = 500

    def __init__(self) -> None:
        self._line = ""
        self._opened = ""

    @property
    def inside(self) -> bool:
        return bool(self._opened)

    def read(self, text: str) -> None:
        first, *others = text.split("\n")
        self._line = (self._line + first)[: self._LONGEST_LINE]
        for line in others:
            self._end_of_line()
            self._line = line[: self._LONGEST_LINE]

    def _end_of_line(self) -> None:
        fence = _FENCE.fullmatch(self._line.rstrip("\r"))
        if fence is None:
            return
        marks, rest = fence["marks"], fence["rest"]
        if not self._opened:
            self._opened = "" if marks[0] == "`" and "`" in rest else marks
        elif marks[0] == self._opened[0] and len(marks) >= len(self._opened) and not rest.strip():
            self._opened = ""
