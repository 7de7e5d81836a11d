"""What the service consists of in AWS: one construct a file, composed by `infra.stack`."""
