"""A function of Lambda that streams: a client of its Runtime API, since the managed one of Python cannot."""
