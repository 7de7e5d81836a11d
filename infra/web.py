"""A page for people, where a deployer has one: files in a private bucket, told by CloudFront, with the API
under the same address, so that the page needs no permission to call another."""

from __future__ import annotations

from aws_cdk import Duration, Fn, RemovalPolicy
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.outputs import tell
from infra.settings import DeploymentSettings

# What the page may load and call: itself, its API, the issuer it logs in at and the API that streams; nothing
# is run that is not a file of its own, and nobody frames it.
_CONTENT = (
    "default-src 'self'; connect-src 'self' https:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_YEAR = Duration.days(365)


class Web(Construct):
    """The bucket is empty at first: its files are a deployer's, put there by `aws s3 sync`. What the API
    answers is kept by no cache, and the gateway sees each call as it was sent."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, api_address: str
    ) -> None:
        super().__init__(scope, construct_id)
        protected = settings.deletion_protection
        bucket = s3.Bucket(
            self,
            "Files",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            # Nothing empties it: CDK would, by a function that may write to every log group of the account
            # and leaves one of its own behind. A deployer does it (docs/deploy.md).
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        # CloudFront has one list of names for an account, whichever Region a stack is in.
        name = f"{settings.prefix}-{settings.region}"
        headers = cloudfront.ResponseHeadersPolicy(
            self,
            "Headers",
            response_headers_policy_name=f"{name}-headers",
            security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
                content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                    content_security_policy=_CONTENT, override=True
                ),
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                frame_options=cloudfront.ResponseHeadersFrameOptions(
                    frame_option=cloudfront.HeadersFrameOption.DENY, override=True
                ),
                referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
                    referrer_policy=cloudfront.HeadersReferrerPolicy.NO_REFERRER, override=True
                ),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=_YEAR, include_subdomains=True, override=True
                ),
            ),
        )
        access = cloudfront.S3OriginAccessControl(self, "Access", origin_access_control_name=f"{name}-page")
        # "https://<id>.execute-api.<region>.amazonaws.com": the name alone.
        host = Fn.select(2, Fn.split("/", api_address))
        api = cloudfront.BehaviorOptions(
            origin=origins.HttpOrigin(host),
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
            cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
            origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        )
        distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{settings.prefix}: the page and its API",
            default_root_object="index.html",
            default_behavior=cloudfront.BehaviorOptions(
                origin=origins.S3BucketOrigin.with_origin_access_control(
                    bucket, origin_access_control=access
                ),
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
                response_headers_policy=headers,
            ),
            additional_behaviors={"/v1/*": api, "/openapi.json": api},
        )
        acknowledge(
            bucket,
            "It holds the files of a public page; who read them is nobody's business.",
            "AwsSolutions-S1",
        )
        acknowledge(
            distribution,
            "A log would hold addresses of people; countries and a firewall are a deployer's choice, and a "
            "certificate hangs on a domain of theirs.",
            "AwsSolutions-CFR1",
            "AwsSolutions-CFR2",
            "AwsSolutions-CFR3",
            "AwsSolutions-CFR4",
        )
        tell(self, "PageAddress", "Where the page is", f"https://{distribution.distribution_domain_name}")
        tell(self, "PageBucket", "Where the page's files go", bucket.bucket_name)
        tell(self, "PageDistribution", "What is told of new files", distribution.distribution_id)
