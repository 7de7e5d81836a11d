"""Which personal values are found in a text by rules, and which numbers are left alone."""

from __future__ import annotations

import subprocess
import sys

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.privacy.detection import spans


def found(text: str, region: str | None = None) -> list[tuple[str, str]]:
    return [(str(span.type), text[span.start : span.end]) for span in spans(text, region)]


def canonical(text: str, region: str | None = None) -> list[str]:
    return [span.canonical for span in spans(text, region)]


class TestPhones:
    @pytest.mark.parametrize(
        "text, number",
        [
            ("Call me on +44 20 7946 0958 after six.", "+44 20 7946 0958"),
            ("my number is (415) 555-2671, text is fine", "(415) 555-2671"),
            ("Numéro de téléphone : 06 12 34 56 78, Marie", "06 12 34 56 78"),
            ("07700 063 966", "07700 063 966"),
            ("شماره‌ام ۰۹۱۲۱۲۳۴۵۶۷ است", "۰۹۱۲۱۲۳۴۵۶۷"),
            ("मेरा नंबर ९८७६५ ४३२१० है", "९८७६५ ४३२१०"),
            ("phone ００４４ 7911 123456", "００４４ 7911 123456"),
            ("Phone:\n467 3395\n\nE-mail:", "467 3395"),
            ("They're not answering at 0680 298 70 63", "0680 298 70 63"),
            ("416 60 039 office", "416 60 039"),
            ("001-420-335-7509x38548", "001-420-335-7509x38548"),
            ("call 07700 900123 12 times", "07700 900123"),
            ("Ruf mich an: +49 (0)30 901820", "+49 (0)30 901820"),
            ("reach me at \u202a+44 20 7946 0958\u202c please", "+44 20 7946 0958"),
            ("tel: +1\u00a0212\u2011555\u20110123", "+1\u00a0212\u2011555\u20110123"),
        ],
    )
    def test_is_found_as_people_write_it(self, text: str, number: str) -> None:
        assert found(text) == [("phone", number)]

    def test_is_the_same_however_it_is_written(self) -> None:
        written = "call +44 20 7946 0958, +44 (0)20 7946-0958, 0044 20 7946 0958 or ＋442079460958"
        assert set(canonical(written)) == {"+442079460958"}
        assert len(canonical(written)) == 4

    def test_national_and_international_are_one_where_the_country_is_known(self) -> None:
        assert canonical("call 020 7946 0958", "GB") == ["+442079460958"]
        # 09121234567 is a number in two countries: without a region it is neither's.
        assert canonical("call 09121234567") == ["09121234567"]
        assert canonical("call 09121234567", "IR") == ["+989121234567"]

    def test_a_region_lets_its_groups_stand_without_a_word(self) -> None:
        assert found("O da Ana é 912 345 678") == []
        assert found("O da Ana é 912 345 678", "PT") == [("phone", "912 345 678")]

    @pytest.mark.parametrize("before", ["x", "5", "/", ",", "=", '"', "(", "phone", "+33612345001"])
    @pytest.mark.parametrize("behind", ["x", ",30", "/7", ";", '"', ")", ":", "and", "+33612345001", ".5"])
    def test_a_plus_begins_one_whatever_stands_around_it(self, before: str, behind: str) -> None:
        values = [value for _, value in found(f"{before}+33612345000{behind}")]
        assert "+33612345000" in values
        assert set(values) <= {"+33612345000", "+33612345001"}


# One value of each kind that has no letters around it, and another of its kind.
LISTED = {
    "card": ("4111111111111111", "5555555555554444"),
    "card in groups": ("4111 1111 1111 1111", "5555 5555 5555 4444"),
    "card with hyphens": ("4111-1111-1111-1111", "5555-5555-5555-4444"),
    "phone": ("+33612345000", "+33612345001"),
    "phone in groups": ("+44 20 7946 0958", "+44 20 7946 0959"),
    "phone with 00": ("0033612345000", "0033612345001"),
    "phone of a country": ("0612345678", "0612345679"),
    "phone of a country in groups": ("06 12 34 56 78", "06 12 34 56 79"),
    "phone of North America": ("415-555-2671", "(415) 555-2672"),
    "national_id": ("123-45-6789", "536-90-4399"),
    "national_id with a letter": ("12345678Z", "87654321X"),
    "email": ("anna@firma.de", "bert@firma.de"),
    "iban": ("DE89370400440532013000", "FR1420041010050500013M02606"),
}
pairs = pytest.mark.parametrize("kind, first, second", [(kind, *pair) for kind, pair in LISTED.items()])


class TestLists:
    """A value is found in a list, a row or an address as it is in a sentence."""

    @pairs
    @pytest.mark.parametrize("mark", [",", ", ", ";", "|", "\t", "\n", "/", " / ", '","', "','", "],[", ")("])
    def test_beside_another(self, kind: str, first: str, second: str, mark: str) -> None:
        values = [(kind.partition(" ")[0], value) for value in (first, second)]
        assert found(f"{first}{mark}{second}") == values

    @pairs
    @pytest.mark.parametrize("mark", [",", ";", "|", "\t"])
    def test_in_a_row_with_names_and_small_numbers(
        self, kind: str, first: str, second: str, mark: str
    ) -> None:
        rows = "\n".join(mark.join(("Ann", "30", value, "12/27", "123")) for value in (first, second))
        values = [(kind.partition(" ")[0], value) for value in (first, second)]
        assert found(f"name{mark}age\n{rows}") == values

    @pairs
    @pytest.mark.parametrize(
        "row", ['{{"a":"{0}","n":1}}', "[{0},30]", "<b>{0}</b>", "x:{0}", "?x={0}&y=30", "«{0}»", "{0},Ann"]
    )
    def test_in_what_programs_write(self, kind: str, first: str, second: str, row: str) -> None:
        for value in (first, second):
            assert found(row.format(value)) == [(kind.partition(" ")[0], value)]

    def test_one_that_was_never_given_out_is_of_the_kind_of_its_list_or_its_word(self) -> None:
        values = [("national_id", "123-45-6789"), ("national_id", "987-65-4321")]
        assert found("123-45-6789,987-65-4321") == values
        assert found("My SSN is 987-65-4321") == values[1:]
        assert found("987-65-4321") == []

    @pytest.mark.parametrize("number", [12, 40])
    def test_of_any_length(self, number: int) -> None:
        for mark in (",", "/", " ", ", "):
            phones = [f"07700 9001{place:02}" for place in range(number)]
            assert found(mark.join(phones)) == [("phone", phone) for phone in phones]

    @pytest.mark.parametrize(
        "text, kind, value",
        [
            ("maria.lopez%40example.org", "email", "maria.lopez%40example.org"),
            ("mailto%3Amaria%40example.org%2C", "email", "maria%40example.org"),
            ("tel%3A%2B33612345678", "phone", "%2B33612345678"),
            ("?q=%2B33%206%2012%2034%2056%2078&x", "phone", "%2B33%206%2012%2034%2056%2078"),
            ("card=4111%201111%201111%201111", "card", "4111%201111%201111%201111"),
            ('{"m":"maria\\u0040example.org"}', "email", "maria\\u0040example.org"),
            ("maria&#64;example.org", "email", "maria&#64;example.org"),
            ("name (at) example.org", "email", "name (at) example.org"),
            ("name[at]example[dot]org.", "email", "name[at]example[dot]org"),
            ("name (AT) example (DOT) co (DOT) uk", "email", "name (AT) example (DOT) co (DOT) uk"),
        ],
    )
    def test_as_addresses_of_the_web_and_careful_people_write_it(
        self, text: str, kind: str, value: str
    ) -> None:
        assert found(text) == [(kind, value)]

    def test_coded_or_not_it_is_one_value(self) -> None:
        written = "a.b@example.org, a.b%40example.org, a.b (at) example.org and A.B[at]example[dot]org"
        assert set(canonical(written)) == {"a.b@example.org"}
        assert len(canonical(written)) == 4
        assert canonical("tel%3A%2B33612345678 +33 6 12 34 56 78") == ["+33612345678"] * 2

    def test_a_password_in_an_address_stays_whole(self) -> None:
        assert found("https://bob:s3%40cret@git.example.org") == [("secret", "bob:s3%40cret")]


class TestAccounts:
    @pytest.mark.parametrize(
        "text, kind, value",
        [
            (
                "Please pay into IBAN DE89 3704 0044 0532 0130 00, thanks",
                "iban",
                "DE89 3704 0044 0532 0130 00",
            ),
            ("to DE89 3704 0044 0532 0130 00 by Monday", "iban", "DE89 3704 0044 0532 0130 00"),
            ("gb29nwbk60161331926819", "iban", "gb29nwbk60161331926819"),
            ("card 4111 1111 1111 1111 exp 04/27", "card", "4111 1111 1111 1111"),
            ("My Amex is 378282246310005", "card", "378282246310005"),
            ("۴۱۱۱ ۱۱۱۱ ۱۱۱۱ ۱۱۱۱", "card", "۴۱۱۱ ۱۱۱۱ ۱۱۱۱ ۱۱۱۱"),
            ("two 4111 1111 1111 1111 left", "card", "4111 1111 1111 1111"),
            ("2 4111-1111-1111-1111", "card", "4111-1111-1111-1111"),
            ("my account number is 12345678", "account", "12345678"),
            ("sort code 12-34-56", "account", "12-34-56"),
            ("send to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "wallet", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"),
        ],
    )
    def test_is_found(self, text: str, kind: str, value: str) -> None:
        assert found(text) == [(kind, value)]

    @pytest.mark.parametrize(
        "text",
        [
            "DE88 3704 0044 0532 0130 00",  # check digits of an IBAN
            "4111 1111 1111 1112",  # Luhn
            "9111 1111 1111 1111",  # no issuer
            "57 68 61 74 20 69 73 20 61",
            "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb",
        ],
    )
    def test_fails_its_check(self, text: str) -> None:
        assert found(text) == []


class TestAddressesOfTheNet:
    @pytest.mark.parametrize(
        "text, kind, value",
        [
            ("at john.smith+news@example.co.uk any time", "email", "john.smith+news@example.co.uk"),
            ("(anna@firma.de).", "email", "anna@firma.de"),
            ("писать на иван@почта.рф", "email", "иван@почта.рф"),
            ("server 192.168.10.42 is mine", "ip", "192.168.10.42"),
            ("it is 2001:db8::1, yes", "ip", "2001:db8::1"),
            ("from 6e40:4041:c617:e898:c11:40d2:c669:2eb4", "ip", "6e40:4041:c617:e898:c11:40d2:c669:2eb4"),
            ("my phone's 5f:2a:00:11:22:33", "mac", "5f:2a:00:11:22:33"),
        ],
    )
    def test_is_found(self, text: str, kind: str, value: str) -> None:
        assert found(text) == [(kind, value)]

    def test_two_spellings_of_one_address_are_one(self) -> None:
        assert len(set(canonical("Anna@Firma.de, anna@firma.DE"))) == 1
        assert len(set(canonical("2001:db8::1 and 2001:0DB8:0:0:0:0:0:1"))) == 1

    @pytest.mark.parametrize(
        "text",
        [
            "version 10.15.7.1",
            "127.0.0.1",
            "::1",
            "at 12:30:45",
            "std::vector a::b",
            "user@host",
            "@anna",
            "10:20:30:40:50:60:70:80",
        ],
    )
    def test_is_none(self, text: str) -> None:
        assert found(text) == []


class TestIdentity:
    @pytest.mark.parametrize(
        "text, value",
        [
            ("My SSN is 536-90-4399, keep it safe", "536-90-4399"),
            ("social security number 536904399", "536904399"),
            ("DNI 12345678Z", "12345678Z"),
            ("codice RSSMRA85T10A562S", "RSSMRA85T10A562S"),
            ("85.07.30-033.28", "85.07.30-033.28"),
            ("my BSN is 111222333", "111222333"),
            ("756.9217.0769.85", "756.9217.0769.85"),
            ("CPF 390.533.447-05", "390.533.447-05"),
            ("NHS 943 476 5870", "943 476 5870"),
            ("NI number AB 12 34 56 C", "AB 12 34 56 C"),
            ("کد ملی من ۰۴۹۹۳۷۰۸۹۹ است", "۰۴۹۹۳۷۰۸۹۹"),
        ],
    )
    def test_number_of_a_state_is_found(self, text: str, value: str) -> None:
        assert found(text) == [("national_id", value)]

    @pytest.mark.parametrize(
        "text", ["000-12-3456", "12345678A", "756.9217.0769.84", "111222333", "my BSN is 111222334"]
    )
    def test_one_that_fails_its_check_or_has_no_word_stays(self, text: str) -> None:
        assert found(text) == []

    def test_papers_are_found_beside_their_word(self) -> None:
        assert found("My passport number is 533380006") == [("passport", "533380006")]
        assert found("driver's license F162823540116") == [("licence", "F162823540116")]
        assert found("My passport is in the drawer, 5 of us know") == []

    @pytest.mark.parametrize(
        "text, date",
        [
            ("and I was born on 3 May 1990", "3 May 1990"),
            ("DOB: 03/05/1990", "03/05/1990"),
            ("date of birth 1990-05-03", "1990-05-03"),
            ("geboren am 3. Mai 1990", "3. Mai 1990"),
            ("née le 3 mai 1990", "3 mai 1990"),
            ("nació el 3 de mayo de 1990", "3 de mayo de 1990"),
            ("تاریخ تولد ۱۳۶۹/۲/۱۳", "۱۳۶۹/۲/۱۳"),
            ("生年月日は1990年5月3日", "1990年5月3日"),
        ],
    )
    def test_date_of_birth_is_found_where_it_is_told_as_one(self, text: str, date: str) -> None:
        assert found(text) == [("birth_date", date)]

    @pytest.mark.parametrize(
        "text",
        [
            "We met on 3 May 1990",
            "Was born in 1990",
            "Born in Lagos",
            "My birthday is 3 May",
            "Moved on 1990-05-03",
        ],
    )
    def test_a_plain_date_a_year_and_a_birthday_stay(self, text: str) -> None:
        assert found(text) == []


class TestSecrets:
    @pytest.mark.parametrize(
        "text, value",
        [
            ("key AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
            ("my password is hunter2-now", "hunter2-now"),
            ("clone https://bob:s3cret@git.example.org/x", "bob:s3cret"),
            ("the pin is 4821.", "4821"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
            ),
        ],
    )
    def test_is_found(self, text: str, value: str) -> None:
        assert found(text) == [("secret", value)]

    @pytest.mark.parametrize(
        "text",
        ["my password is secret", "Forgot my password again", "pinned 3 notes", "https://example.org/a:b@c"],
    )
    def test_is_none(self, text: str) -> None:
        assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "my order 48213 costs 1,523.40",
        "order number is 0412345678",
        "invoice 123-456-7890, ticket 4155552671",
        "order 4155552671 arrived",
        "on 2024-05-03 14:30, 03.05.2024 or 5/3/2024",
        "from 2019-2020 and 2021",
        "It cost 1 250 000 000 dollars, 10.000.000 EUR, ₹ 1,20,000",
        "Python 3.11.4, build 20241130123456",
        "ISBN 978-3-16-148410-0 or 0-306-40615-2",
        "0-306-40615-2",
        "40.7128, -74.0060 and 51.507351, -0.127758",
        "I ran 42.195 km in 3:25:30",
        "UPS 1Z999AA10123456784",
        "call me at 5 or 6",
        "call 1 000 000 people",
        "1234567890",
        "Room 101, gate 42B, flight BA2490",
        "born to run 5 km at 7:30",
        "1,523.40,2,000.00,3,100.50 and 1250,1300,1450,1500",
        "1250000,1300000,1450000",
        "1 250 000 000,50 or 1.250.000.000,50 or +12.345.678.901,50 or +1.234.567,89",
        "+1,250,000 and +1250000 users, +15%",
        "call 12500000,50 EUR, call me 12,3456789 times",
        "documento por 1.250.000,50 pesos, tax id for 123 456 789,50",
        "pin 123,456 places",
        "0.4111111111111111,1.4155552671,2.4155552672",
        "48,8566140, 2,3522219 or 48.8566140,2.3522219 or 52,0123456789 or 33.8678500;151.2073212",
        "?lat=40.7128&lon=-74.0060&z=12",
        "2024-05-03,2024-05-04,03.05.2024,5/3/2024,03/05/2024,14:30,15:45",
        "2024-05-03T14:30:00+0200,2024-05-03T15:30:00+02:00,GMT+0330",
        "orders 4155552671,4155552672, invoice 0412345678,0412345679, order 48213,48214",
        "https://example.org/2024/05/03/1234567890?q=order+12345678901",
        "1700000000,1700000600,1700000000123,20241130123456",
        "9111111111111111,1234567812345678",
        "ISBN 978-3-16-148410-0,978-0-306-40615-7",
        "1,2,3,4,5,6,7,8,9,10,20,30,40,50,60,1990,1991,1992",
        "C++11,C++17,C++20, 2+2,3+3, a+b=1234567",
        "a map of 1:2500000, call it scale 1:2500000",
        "10%20 off, 50%30, look at amazon dot com, (at example.org)",
    ],
)
def test_numbers_that_memory_lives_on_stay(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("region", ["US", "GB", "FR", "PT", "DE", "IR"])
def test_where_groups_need_no_word_dates_and_coordinates_still_stay(region: str) -> None:
    dates = "03.05.2024,04.05.2024;2024-05-03,2024-05-04 https://example.org/2024/05/03/1234567890"
    coordinates = "48.8566140,2.3522219 or 51.507351,-0.127758"
    assert found(f"{dates} {coordinates}", region) == []


def test_the_longest_reading_of_a_place_counts_once() -> None:
    text = "https://anna:pw@example.com and +44 20 7946 0958 (card 4111 1111 1111 1111)"
    assert found(text) == [
        ("secret", "anna:pw"),
        ("phone", "+44 20 7946 0958"),
        ("card", "4111 1111 1111 1111"),
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_spans_are_in_order_inside_the_text_and_apart(text: str) -> None:
    after = 0
    for span in spans(text):
        assert after <= span.start < span.end <= len(text)
        after = span.end


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "1", "1 ", "0 1", "01 ", "1-", "a@", "a.b@c.", "::", "1.1.", "+1 ", "DE89 ", "call ", "pin "),
        *("⟦a:", "passport ", "://a:", "eyJaaaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "57 68 "),
    ],
)
def test_hostile_text_hides_nothing_behind_it(piece: str) -> None:
    text = piece * (16_000 // len(piece)) + "; anna@firma.de"
    assert found(text)[-1] == ("email", "anna@firma.de")


@pytest.mark.parametrize("piece", ["1 ", "0 1 ", "01 ", "07700 900123 ", "+1 2 ", "0044 1 "])
def test_numbering_plans_are_asked_in_proportion_to_the_length(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    parse = phonenumbers.parse

    def counted(number: str, region: str | None = None) -> phonenumbers.PhoneNumber:
        asked.append(number)
        return parse(number, region)

    monkeypatch.setattr(phonenumbers, "parse", counted)
    text = piece * (4_000 // len(piece))
    spans(text)
    # At most 4 readings of each run of 7 or more digits, each in at most 11 plans.
    assert len(asked) <= 4 * 11 * len(text) / 12


def test_importing_the_rules_loads_no_numbering_plan_and_no_validator() -> None:
    script = (
        "import sys; from noted.privacy.detection import spans; spans('Has a dog called Rex since 2019');"
        "print([name for name in ('phonenumbers', 'stdnum', 'botocore', 'numpy') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
