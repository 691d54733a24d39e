"""A suite that runs in processes of its own; what every one of them needs."""

import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path.home() / ".cache" / "rowhouse" / "suites"
RUN_WAIT_S_MAX = 3600


class Suite:
    """What a suite writes is kept for who looks for the cause of a failure."""

    # Whether the judges' answers say which tests pass, by the suite's `judged`, and not whether the judges pass them.
    answers_judged = False
    # What Rowhouse is started with.
    flags = ()

    def __init__(self):
        self.output = ""

    def start(self, command, folder, port, **variables):
        """Runs a command to its end, or for an hour; gives what it wrote."""
        environment = dict(os.environ, TZ="UTC", PORT=str(port), PYTHONDONTWRITEBYTECODE="1", **variables)
        try:
            written = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", timeout=RUN_WAIT_S_MAX, check=False,
            ).stdout
        except subprocess.TimeoutExpired as late:
            written = (late.stdout or b"").decode("utf-8", "replace") + f"\nno end within {RUN_WAIT_S_MAX} s\n"
        self.output += written
        return written
