"""What AWS takes, as list prices in US dollars for us-east-1, each with where it was read and when that was.

The vendors' own price pages could not be read here; what could are documents and pages that quote them, and
the date is that of the page. Free tiers, discounts and savings plans are left out, and so are the lower
prices of higher volumes, except API Gateway's: a bill at 100 million users is negotiated and lower than this.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """`usd` for one `unit`. `source` names the page and its date."""

    usd: float
    unit: str
    source: str


_CLOUDWATCH = "cloudburn.io/blog/amazon-cloudwatch-pricing, February 2026"
_KMS = "aws.amazon.com/kms/pricing and cloudburn.io/blog/aws-kms-pricing, March 2026"
_DYNAMODB = "airbyte.com/data-engineering-resources/dynamodb-pricing, July 2025"
_SECRETS = "hivebook.wiki, AWS Secrets Manager, 2026"

PRICES = {
    "api_request": Price(
        1.00e-6, "request to the HTTP API, up to 300 million a month", "apigatewaycost.com/aws, 2026"
    ),
    "api_request_beyond": Price(
        0.90e-6, "request beyond 300 million a month", "apigatewaycost.com/aws, 2026"
    ),
    "data_out": Price(0.09, "GB sent to the internet", "apigatewaycost.com/aws, 2026"),
    "lambda_request": Price(0.20e-6, "invocation", "cloudchipr.com/blog/aws-lambda-pricing, 2024"),
    "lambda_gb_second": Price(
        0.0000133334, "GB-second on arm64", "cloudchipr.com/blog/aws-lambda-pricing, 2024"
    ),
    "read_unit": Price(0.125e-6, "read request unit, on demand", _DYNAMODB),
    "write_unit": Price(0.625e-6, "write request unit, on demand", _DYNAMODB),
    "table_gb_month": Price(0.25, "GB-month of a table", "as commonly known; AWS's page could not be read"),
    "recovery_gb_month": Price(
        0.20, "GB-month of point-in-time recovery", "as commonly known; AWS's page could not be read"
    ),
    "kms_request": Price(0.03e-4, "request with a symmetric key", _KMS),
    "kms_sign": Price(0.15e-4, "signature with an elliptic-curve key", f"{_KMS} (five times the symmetric)"),
    "kms_key_month": Price(1.00, "key and month; each of the first two rotations adds as much", _KMS),
    "secret_month": Price(0.40, "secret and month", _SECRETS),
    "queue_request": Price(
        0.40e-6, "request to a standard queue", "factualminds.com, Amazon SQS pricing, June 2026"
    ),
    "log_gb": Price(0.50, "GB of logs taken in", _CLOUDWATCH),
    "metric_month": Price(0.30, "custom metric and month, of the first 10,000", _CLOUDWATCH),
    "alarm_metric_month": Price(0.10, "metric that an alarm looks at, and month", _CLOUDWATCH),
    "dashboard_month": Price(3.00, "dashboard and month beyond the third", _CLOUDWATCH),
    "model_input_token": Price(
        1.10e-6,
        "input token, Claude Haiku 4.5 through a profile of one geography",
        "evals/cost/rates.py: 1.00 a million and a tenth more, 2026-11-30",
    ),
    "model_output_token": Price(
        5.50e-6, "output token of it", "evals/cost/rates.py: 5.00 a million and a tenth more, 2026-11-30"
    ),
    "embedded_token": Price(
        0.10e-6, "token embedded by Cohere Embed 3 multilingual", "price tables in public repositories, 2026"
    ),
}


def usd(name: str) -> float:
    """The price of one unit."""
    return PRICES[name].usd
