"""Bringing back what a user said: ranking it, laying it out, telling it."""
