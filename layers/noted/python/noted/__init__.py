"""Noted: a memory layer that its users own. The library that all functions share."""

import gc
import os

__version__ = "0.1.0"

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    # Imports make many objects and drop few. Looking for garbage as often as Python does by itself (each 700
    # objects) is a tenth of a cold start; a function makes so many in a few requests.
    gc.set_threshold(50_000, 10, 10)
