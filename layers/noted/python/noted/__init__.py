"""Noted: a memory layer that its users own. The library that all functions share."""

__version__ = "0.1.0"
