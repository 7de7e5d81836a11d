"""The seam to language, embedding and reranking models, and the choice of what stands behind it.

Nothing of a provider is imported until one is chosen: an import that a function does not need is paid for at
every cold start.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.models.seam import Embedder, LanguageModel, Reranker


def language_model(setting: str, *, environment: Mapping[str, str] = os.environ) -> LanguageModel:
    """The chat model of a setting: `bedrock:<model or inference profile id>`, `openai:<model>` or `offline`.

    Raises ValueError for any other setting, or where the environment lacks what the provider needs.
    """
    provider, _, model = setting.partition(":")
    if provider == "bedrock" and model:
        from noted.models.bedrock import BedrockLanguageModel, bedrock_runtime

        return BedrockLanguageModel(model, bedrock_runtime(environment))
    if provider == "openai" and model:
        from noted.models.openai import OpenAILanguageModel, openai_client

        return OpenAILanguageModel(model, openai_client(environment))
    if setting == "offline":
        from noted.models.offline import OfflineLanguageModel

        return OfflineLanguageModel()
    raise ValueError("a language model is bedrock:<id>, openai:<model> or offline")


def embedder(setting: str, *, environment: Mapping[str, str] = os.environ) -> Embedder:
    """The embedder of a setting: `bedrock:<model id>`, `openai:<model>` or `local`.

    Raises ValueError for any other setting, or where the environment lacks what the provider needs.
    """
    provider, _, model = setting.partition(":")
    if provider == "bedrock" and model:
        from noted.models.bedrock import bedrock_runtime
        from noted.models.bedrock_embedder import BedrockEmbedder

        return BedrockEmbedder(model, bedrock_runtime(environment))
    if provider == "openai" and model:
        from noted.models.openai import openai_client
        from noted.models.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(model, openai_client(environment))
    if setting == "local":
        from noted.models.local import local_embedder

        return local_embedder()
    raise ValueError("an embedder is bedrock:<id>, openai:<model> or local")


def reranker(setting: str, *, environment: Mapping[str, str] = os.environ) -> Reranker | None:
    """The reranker of a setting: `bedrock:<model id>`, or `none`.

    Raises ValueError for any other setting, or where the environment lacks what the provider needs.
    """
    provider, _, model = setting.partition(":")
    if provider == "bedrock" and model:
        from noted.models.bedrock import bedrock_runtime
        from noted.models.bedrock_reranker import BedrockReranker

        return BedrockReranker(model, bedrock_runtime(environment))
    if setting == "none":
        return None
    raise ValueError("a reranker is bedrock:<id> or none")
