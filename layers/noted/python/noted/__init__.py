"""Noted: a memory layer that its users own. The library that all functions share."""

import gc
import os

__version__ = "0.1.0"

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    # Imports make some 100,000 objects and drop few. Looking for garbage among them, as often as Python does
    # by itself (each 700 objects), is a tenth of a cold start; a few requests make so many more.
    gc.set_threshold(200_000, 10, 10)
