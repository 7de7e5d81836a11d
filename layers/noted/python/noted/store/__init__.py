"""The only package that speaks to DynamoDB and SQS. No other module builds a key."""
