"""The page, where a deployer has one: a private bucket, one address with the API, nothing cached of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

# What CloudFront manages under these ids: "CachingDisabled" and "AllViewerExceptHostHeader".
NO_CACHE = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
AS_SENT = "b689b0a8-53d0-40ab-baf2-68738e2966ac"


@pytest.fixture(scope="module")
def whole(synthesise: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return synthesise(page=True)


def of_kind(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each for each in template["Resources"].values() if each["Type"] == f"AWS::{kind}"]


def distribution(template: dict[str, Any]) -> dict[str, Any]:
    [found] = of_kind(template, "CloudFront::Distribution")
    settings: dict[str, Any] = found["Properties"]["DistributionConfig"]
    return settings


def test_there_is_none_unless_it_is_asked_for(template: dict[str, Any]) -> None:
    assert of_kind(template, "CloudFront::Distribution") == of_kind(template, "S3::Bucket") == []


def test_the_files_are_read_through_cloudfront_alone_and_over_tls(whole: dict[str, Any]) -> None:
    [bucket] = of_kind(whole, "S3::Bucket")
    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
    [policy] = of_kind(whole, "S3::BucketPolicy")
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    [allowed] = [each for each in statements if each["Effect"] == "Allow"]
    assert allowed["Principal"] == {"Service": "cloudfront.amazonaws.com"}
    assert allowed["Action"] == "s3:GetObject"
    assert "AWS:SourceArn" in allowed["Condition"]["StringEquals"]
    [denied] = [each for each in statements if each["Effect"] == "Deny"]
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_the_api_is_under_the_same_address_and_kept_by_no_cache(whole: dict[str, Any]) -> None:
    settings = distribution(whole)
    behind = {each["PathPattern"]: each for each in settings["CacheBehaviors"]}
    assert behind.keys() == {"/v1/*", "/openapi.json"}
    for each in behind.values():
        assert each["CachePolicyId"] == NO_CACHE
        # With the token, and without the page's own name, which the gateway does not know.
        assert each["OriginRequestPolicyId"] == AS_SENT
        assert each["ViewerProtocolPolicy"] == "https-only"
        assert {"DELETE", "PATCH", "POST", "PUT"} <= set(each["AllowedMethods"])


def test_the_page_runs_its_own_files_and_is_framed_by_nobody(whole: dict[str, Any]) -> None:
    [policy] = of_kind(whole, "CloudFront::ResponseHeadersPolicy")
    headers = policy["Properties"]["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
    content = headers["ContentSecurityPolicy"]["ContentSecurityPolicy"]
    assert "default-src 'self'" in content
    assert "frame-ancestors 'none'" in content
    assert "unsafe" not in content
    assert headers["FrameOptions"]["FrameOption"] == "DENY"
    assert headers["StrictTransportSecurity"]["AccessControlMaxAgeSec"] == 365 * 24 * 3600
    assert distribution(whole)["DefaultCacheBehavior"]["ViewerProtocolPolicy"] == "redirect-to-https"


def test_a_deployer_is_told_where_its_files_go(whole: dict[str, Any]) -> None:
    assert {"PageAddress", "PageBucket", "PageDistribution"} <= whole["Outputs"].keys()


def test_two_regions_of_an_account_may_have_a_page_each_under_the_same_prefix(
    whole: dict[str, Any], synthesise: Callable[..., dict[str, Any]]
) -> None:
    # CloudFront knows no Region: these names are the account's.
    def names(template: dict[str, Any]) -> tuple[str, str]:
        [policy] = of_kind(template, "CloudFront::ResponseHeadersPolicy")
        [access] = of_kind(template, "CloudFront::OriginAccessControl")
        return (
            policy["Properties"]["ResponseHeadersPolicyConfig"]["Name"],
            access["Properties"]["OriginAccessControlConfig"]["Name"],
        )

    assert names(whole) == ("noted-eu-central-1-headers", "noted-eu-central-1-page")
    elsewhere = synthesise(
        page=True,
        region="us-east-1",
        model="offline",
        extraction_model=None,
        embedder="local",
        prices='{"offline": {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0}}',
    )
    assert not {*names(whole)} & {*names(elsewhere)}
