"""Plain text, before it means anything: characters, folding, figures, questions and requests."""
