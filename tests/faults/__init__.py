"""What breaks, broken on purpose: one fault at a time, in every flow that it touches."""
