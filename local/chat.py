"""`noted chat`: a conversation in the terminal, over HTTP, as any other client has it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from typing import Any

import httpx
from rich.console import Console
from rich.text import Text

from local import events

HELP = "/facts  /confirm N  /reject N  /forget  /quit"
# An answer is not held up by what is still being saved; that is told before the next prompt.
_SAVED_PATIENCE = 3


class RequestFailedError(Exception):
    """The service refused; the message is for the user."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Chat:
    """One user's chat. `ask(prompt)` gives the next line and raises EOFError at the end."""

    def __init__(self, client: httpx.Client, console: Console, ask: Callable[[str], str]) -> None:
        self._client = client
        self._console = console
        self._ask = ask
        self._epoch: str | None = None
        self._conversation = ""
        self._facts: list[dict[str, Any]] = []
        self._saving: list[Future[dict[str, Any]]] = []
        self._waiting = ThreadPoolExecutor(4, thread_name_prefix="saved")

    def run(self) -> None:
        """Until /quit or the end of the input. Raises httpx.TransportError when the server goes away."""
        self._begin()
        self._say(HELP, "dim")
        try:
            while (line := self._next_line()) != "/quit":
                try:
                    self._take(line)
                except RequestFailedError as error:
                    self._failed(error)
            self._tell_saved(patience=25)
        finally:
            self._waiting.shutdown(wait=False, cancel_futures=True)

    def _next_line(self) -> str:
        self._tell_saved(patience=0)
        try:
            return self._ask("you> ").strip()
        except EOFError:
            return "/quit"

    def _take(self, line: str) -> None:
        command, _, argument = line.partition(" ")
        if command == "/facts":
            self._list_facts()
        elif command in ("/reject", "/confirm"):
            self._judge("rejected" if command == "/reject" else "confirmed", argument)
        elif command == "/forget":
            self._forget()
        elif command.startswith("/"):
            self._say(HELP, "dim")
        elif line:
            self._talk(line)

    def _begin(self) -> None:
        self._epoch = None
        self._conversation = self._request("POST", "/v1/conversations", {}).json()["conversation_id"]

    def _talk(self, message: str) -> None:
        turn = self._answered(f"/v1/conversations/{self._conversation}/turns", {"message": message})
        if turn["memory"] in ("queued", "saved"):
            self._saving.append(self._waiting.submit(self._saved, turn["saved_url"]))
            self._tell_saved(patience=_SAVED_PATIENCE)

    def _answered(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The turn; its answer is shown while it comes."""
        begun = False
        try:
            with self._sent("POST", path, body, accept="text/event-stream") as response:
                for name, data in events.read(response.iter_lines()):
                    told: dict[str, Any] = json.loads(data)
                    if name == "turn":
                        return told
                    if name == "error":
                        raise RequestFailedError(told["status"], told["detail"])
                    if name == "delta":
                        begun = True
                        self._show(told["text"], "bold", end="")
        finally:
            if begun:
                self._say("")
        raise RequestFailedError(502, "The answer broke off. It may have been kept all the same.")

    def _saved(self, url: str) -> dict[str, Any]:
        result: dict[str, Any] = self._request("GET", url, params={"wait": 20}).json()
        return result

    def _tell_saved(self, patience: float) -> None:
        for saving in list(self._saving):
            try:
                saved = saving.result(timeout=patience)
            except FutureTimeoutError:
                continue
            except (RequestFailedError, httpx.TransportError):
                saved = {"status": "unknown", "facts": []}
            self._saving.remove(saving)
            for fact in saved["facts"]:
                held = " (held until you confirm it)" if fact["status"] == "held" else ""
                self._say(f"saved: {fact['text']}{held}", "dim")
            if saved["status"] not in ("done", "skipped"):
                self._say(f"saving: {saved['status']}", "dim")

    def _list_facts(self) -> None:
        self._facts, cursor = [], None
        while True:
            page = self._request("GET", "/v1/facts", params={"cursor": cursor} if cursor else {}).json()
            self._facts += page["items"]
            cursor = page["next_cursor"]
            if not cursor:
                break
        if not self._facts:
            self._say("Nothing is kept yet.", "dim")
        for number, fact in enumerate(self._facts, 1):
            verdict = f", {fact['latest_verdict']['verdict']}" if fact["latest_verdict"] else ""
            self._say(f"{number:3}  {fact['text']}  ({fact['kind']}, {fact['status']}{verdict})")

    def _judge(self, verdict: str, argument: str) -> None:
        if not (argument.isascii() and argument.isdecimal() and 1 <= int(argument) <= len(self._facts)):
            self._say("Give the number of a fact that /facts has listed.", "dim")
            return
        fact = self._facts[int(argument) - 1]
        self._request("POST", f"/v1/facts/{fact['fact_id']}/verdicts", {"verdict": verdict})
        self._say(f"{verdict}: {fact['text']}", "dim")

    def _forget(self) -> None:
        try:
            answer = self._ask("Erase everything that is kept about you? Type yes: ")
        except EOFError:
            answer = ""
        if answer.strip().lower() != "yes":
            self._say("Nothing was erased.", "dim")
            return
        erasure = self._request("DELETE", "/v1/memory").json()
        self._say(f"Erased. The receipt: {erasure['status_url']}", "dim")
        self._facts, self._saving = [], []
        self._begin()

    def _failed(self, error: RequestFailedError) -> None:
        self._say(str(error), "red")
        if error.status in (404, 409):
            # Erased elsewhere in the meantime: nothing of the old conversation may be sent again.
            self._begin()
            self._say("A new conversation has begun.", "dim")

    def _request(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        params: dict[str, Any] | None = None,
    ) -> httpx.Response:
        with self._sent(method, path, body, params) as response:
            response.read()
            return response

    @contextmanager
    def _sent(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        params: dict[str, Any] | None = None,
        accept: str = "application/json",
    ) -> Iterator[httpx.Response]:
        headers = {"Accept": accept}
        if method != "GET" and self._epoch is not None:
            headers["If-Memory-Epoch"] = self._epoch
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        with self._client.stream(method, path, json=body, params=params, headers=headers) as response:
            if response.is_error:
                response.read()
                raise RequestFailedError(response.status_code, detail(response))
            if self._epoch is None:
                self._epoch = response.headers.get("memory-epoch")
            yield response

    def _say(self, text: str, style: str = "") -> None:
        self._show(text, style, end="\n")

    def _show(self, text: str, style: str, end: str) -> None:
        # What others wrote must not steer the terminal.
        printable = "".join(character for character in text if character.isprintable() or character == "\n")
        self._console.print(Text(printable, style=style), soft_wrap=True, end=end)


def detail(response: httpx.Response) -> str:
    """What a problem says, for the user."""
    try:
        problem = response.json()
        return str(problem.get("detail") or problem["title"])
    except (ValueError, KeyError, AttributeError):
        return f"The service answered {response.status_code}."
