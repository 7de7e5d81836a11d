"""The same handlers on one machine: HTTP front, queue, DynamoDB Local, token issuer, command line."""
