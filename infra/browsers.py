"""What a browser is told of calls that a page of another origin makes (the Fetch standard, "CORS protocol").
No cookie is ever sent: a token is."""

# The headers of a request that a page may set.
SENT = ("Authorization", "Content-Type", "Accept", "Idempotency-Key", "If-Memory-Epoch")
# How long a browser may remember it.
PREFLIGHT_HOURS = 1
