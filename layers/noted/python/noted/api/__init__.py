"""The HTTP interface: routes, request and reply models, problems, OpenAPI."""
