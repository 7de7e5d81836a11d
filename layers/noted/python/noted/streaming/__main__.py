"""What the wrapper `noted-stream` starts: takes invocations until Lambda ends the process."""

import os
import sys

from noted.streaming.loop import run
from noted.streaming.runtime_api import RuntimeApi

sys.exit(run(RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"]), os.environ))
