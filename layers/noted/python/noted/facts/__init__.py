"""What a user said about themselves: reading it, keeping it clean, judging it."""
