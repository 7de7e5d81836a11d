"""Links in an answer: which stay, what is left of the others, and that pieces make no difference."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from noted.privacy.links import NO_IMAGE, NO_LINK, LinkFilter, host_of, links_in, without_links

ALLOWED = ("docs.example",)
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            """https:// http: // evil.example docs.example / ?d=1 [ ] ( ) ! < > img a src= href= www. foo x
            mailto:x@y.example javascript: data:image/png;base64,AA tel:+1 : # . , "
            ' \\ @ <PHONE_A>""".split()
        ),
        st.sampled_from(["\n", " ", "```\n", "~~~\n", "\n```\n", "é", "\u200b"]),
        st.text(max_size=4),
    ),
    max_size=16,
)


def in_pieces(pieces: list[str], typed: str = "") -> str:
    links = LinkFilter(ALLOWED, typed)
    return "".join(links.feed(piece) for piece in pieces) + links.finish()


@pytest.mark.parametrize(
    "text, left",
    [
        ("See https://evil.example/x?d=1.", f"See {NO_LINK}."),
        ("See HTTPS:\\\\evil.example", f"See {NO_LINK}"),
        ("(https://evil.example/a_(b)) there", f"({NO_LINK}) there"),
        ("![logo](https://evil.example/p?d=1) done", "logo done"),
        ("![](https://evil.example/p)", NO_IMAGE),
        ("![logo](/relative.png)", "logo"),
        ("![logo][r]\n\n[r]: https://evil.example/p", f"[logo][r]\n\n[r]: {NO_LINK}"),
        ("[r]: //evil.example/p", f"[r]: {NO_LINK}"),
        ('A [page](https://evil.example "title") here', "A [page] here"),
        ("A [page](<https://evil.example/a b>) here", "A [page] here"),
        ("A [page](  //evil.example) here", "A [page] here"),
        ("A [page](/\\evil.example) here", "A [page] here"),
        ("A [page](&#104;ttps://evil.example) here", "A [page] here"),
        ("A [page](java&#115;cript:alert(1)) here", "A [page] here"),
        ("<img src=//evil.example/a.png> hi", " hi"),
        ("<IMG\nSRC='https://evil.example/a'>hi", "hi"),
        ('<a href="https://evil.example">hi</a>', "hi"),
        ("<iframe src=x></iframe><script>go()</script>", "go()"),
        ("<svg/onload=go()>", NO_LINK),
        ("<img src=//evil.example/a.png>\n", f"\n{NO_LINK}"),
        ("<img src=x", "\u2039img src=x"),
        ("<https://evil.example/>", f"<{NO_LINK}>"),
        ("javascript:alert(1)", NO_LINK),
        ("data:text/html;base64,AAAA", NO_LINK),
        ("Write to mailto:a@evil.example?body=1", f"Write to {NO_LINK}"),
        ("Call tel:+4712345678", f"Call {NO_LINK}"),
        ("Go to www.evil.example/log, now", f"Go to {NO_LINK}, now"),
        ("Go to evil.example/log?d=1 now", f"Go to evil.example {NO_LINK} now"),
        ("Go to Evil.example/log", f"Go to Evil.example {NO_LINK}"),
        ("EVIL.EXAMPLE/LOG", f"EVIL.EXAMPLE {NO_LINK}"),
        ("bücher.example/a", f"bücher.example {NO_LINK}"),
        ("evil.example:8080/log?d=1", f"evil.example {NO_LINK}"),
        ("&#104;ttps://evil.example/log", f"&#104;ttps://evil.example {NO_LINK}"),
        ("```\nimg = 'https://evil.example/p'\n```", f"```\nimg = '{NO_LINK}'\n```"),
        # A closed block of code is none, however it is written.
        ("```\n```x\n```\n![a](b)", "```\n```x\n```\na"),
        ("> ```\n![a](https://evil.example)", "> ```\na"),
        ("https://docs.example@evil.example/", NO_LINK),
        ("https://evil.example\\@docs.example/", NO_LINK),
        ("https://docs.example.evil.example/", NO_LINK),
        ("ftp://docs.example/", NO_LINK),
        ("Seehttps://evil.example", f"Seehttps{NO_LINK}"),
    ],
)
def test_what_leads_elsewhere_goes(text: str, left: str) -> None:
    assert without_links(text, ALLOWED) == in_pieces(list(text)) == left


@pytest.mark.parametrize(
    "text",
    [
        "Use https://docs.example/a?b=1#c, or [this](https://DOCS.example/x).",
        "![plan](https://docs.example/plan.png)",
        "handlers[name](event) and f[i](a, b) and [top](#top)",
        "x<y, a < b, 1/2, and/or, 3 > 2, e.g. this: that!",
        "Great! [sic] (really) [1] [account.balance]",
        "Call <PHONE_A>, <PERSON_B>.",
        "Node.js/Express, ASP.NET/C#, src/app.py, 10:30, data: 5, file: x",
        "booking.com and example.org are hosts.",
        "<b>bold</b><br>x",
        "```py\n# http is a scheme\nx = a[0](b) // c\n//console.log(1)\n<img>\n```\n",
        "Hmm, http: or www or javascript: or",
        "The prefix http:// or https:// is left.",
        "It ends here.In/out, at 10:30/11:00, a:1/2, /etc/sites/evil.example/a.conf",
        "```sh\ncurl http://localhost:8080/health http://127.0.0.1/\n```\n",
    ],
)
def test_what_leads_nowhere_else_stays(text: str) -> None:
    assert without_links(text, ALLOWED) == in_pieces(list(text)) == text


def test_what_the_user_typed_may_be_said_back_letter_by_letter() -> None:
    typed = "Is https://shop.example/a?b=1 down? And shop.example/c?"
    assert links_in(typed) == {"https://shop.example/a?b=1", "shop.example/c"}
    for said, left in (
        ("https://shop.example/a?b=1 is up.", "https://shop.example/a?b=1 is up."),
        ("[It](https://shop.example/a?b=1) is up.", "[It](https://shop.example/a?b=1) is up."),
        ("See shop.example/c.", "See shop.example/c."),
        ("https://shop.example/a?b=2", NO_LINK),
        ("https://shop.example/a?b=1<PHONE_A>", NO_LINK),
        ("https://SHOP.example/a?b=1", NO_LINK),
        ("shop.example/c/d", f"shop.example {NO_LINK}"),
    ):
        assert without_links(said, (), typed) == left


def test_text_is_shown_as_it_comes() -> None:
    links = LinkFilter()
    assert links.feed("You like tea. ") == "You like tea. "
    assert links.feed("See h") == "See "
    assert links.feed("ow it is") == "how it is"
    assert links.feed(" and https://evil.example/") == " and "
    assert links.feed("x ok") == f"{NO_LINK} ok"


def test_a_link_without_end_is_swallowed() -> None:
    links = LinkFilter()
    said = "".join(links.feed(piece) for piece in ["See https://evil.example/", *["a" * 100] * 50, " ok"])
    assert said + links.finish() == f"See {NO_LINK} ok"


@pytest.mark.parametrize(
    "address, host",
    [
        ("https://a.example/x", "a.example"),
        ("http://A.example:80", "a.example"),
        ("https://u@a.example", None),
        ("https://a.example\\.b.example", None),
        ("https://\u0430.example", None),
        ("//a.example", None),
        ("javascript://a.example", None),
        ("https://[", None),
    ],
)
def test_a_host_is_what_every_client_reads(address: str, host: str | None) -> None:
    assert host_of(address) == host


@given(PIECES)
@example(["[a](//ev", "il.example) ", "!", "[b](x"])
def test_pieces_make_no_difference(pieces: list[str]) -> None:
    assert in_pieces(pieces) == without_links("".join(pieces), ALLOWED)


@given(PIECES)
def test_no_address_of_another_host_is_left(pieces: list[str]) -> None:
    left = without_links("".join(pieces), ALLOWED)
    assert not re.search(r"(?i)(?:https?|ftp):(?://|\\\\)(?!docs\.example)[^\s<>\"`]", left)
    assert not re.search(r"(?i)<(?:img|a)(?=[\s/>])", re.sub(r"(?ms)^ {0,3}(```|~~~).*", "", left))
