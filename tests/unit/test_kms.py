"""Data keys wrapped by KMS: on moto's, which checks the context, and on stubbed errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.exceptions import ConnectTimeoutError
from botocore.stub import Stubber
from moto import mock_aws

from noted.errors import Unavailable
from noted.privacy.wrapping import CannotUnwrap
from noted.store.kms import KmsWrapper

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient

ALICE = f"o_{'a' * 26}#u_{'a' * 26}#g1"
BOB = f"o_{'a' * 26}#u_{'b' * 26}#g1"


@pytest.fixture
def client() -> Iterator[KMSClient]:
    with mock_aws():
        yield boto3.client("kms", region_name="eu-west-1")


@pytest.fixture
def wrapper(client: KMSClient) -> KmsWrapper:
    return KmsWrapper(lambda: client, client.create_key()["KeyMetadata"]["Arn"])


def test_a_data_key_comes_back_for_its_user_and_generation(wrapper: KmsWrapper) -> None:
    key, wrapped = wrapper.new(ALICE)
    assert len(key) == 32
    assert key not in wrapped
    assert wrapper.unwrap(wrapped, ALICE) == key


@pytest.mark.parametrize("other", [BOB, ALICE.replace("#g1", "#g2")])
def test_it_comes_back_for_nobody_else(wrapper: KmsWrapper, other: str) -> None:
    _, wrapped = wrapper.new(ALICE)
    with pytest.raises(CannotUnwrap):
        wrapper.unwrap(wrapped, other)


def test_every_key_is_another(wrapper: KmsWrapper) -> None:
    assert len({wrapper.new(ALICE)[0] for _ in range(5)}) == 5


def test_a_function_that_may_open_nothing_gets_nothing_opened_and_can_still_destroy(
    client: KMSClient,
) -> None:
    wrapper = KmsWrapper(lambda: client, "")
    wrapper.destroy(ALICE)
    with pytest.raises(Unavailable):
        wrapper.new(ALICE)


def test_destroying_asks_nothing_of_kms(client: KMSClient) -> None:
    with Stubber(client):  # it fails on any call
        KmsWrapper(lambda: client, "a key").destroy(ALICE)


@pytest.mark.parametrize(
    "code",
    [
        "ThrottlingException",
        "AccessDeniedException",
        "KMSInternalException",
        "DependencyTimeoutException",
        "DisabledException",
        "KMSInvalidStateException",
        "NotFoundException",
        "KeyUnavailableException",
    ],
)
def test_whatever_else_goes_wrong_means_later_and_never_without_a_key(client: KMSClient, code: str) -> None:
    wrapper = KmsWrapper(lambda: client, "a key")
    with Stubber(client) as stub:
        stub.add_client_error("generate_data_key", code)
        with pytest.raises(Unavailable):
            wrapper.new(ALICE)
        stub.add_client_error("decrypt", code)
        with pytest.raises(Unavailable):
            wrapper.unwrap(b"wrapped", ALICE)


def test_so_does_a_connection_that_hangs(client: KMSClient) -> None:
    def hang(**_: object) -> None:
        raise ConnectTimeoutError(endpoint_url="kms")

    client.meta.events.register_first("before-send.kms", hang)
    with pytest.raises(Unavailable):
        KmsWrapper(lambda: client, "a key").unwrap(b"wrapped", ALICE)
