"""What a conversation costs: full replay, a sliding window, and Noted, over 20, 100 and 500 turns.

    python -m evals.cost [--turns 20 100 500] [--tokens 400] [--rates rates.json] [--plot cost.svg]
    python -m evals.cost --locomo locomo10.json [--conversation 1]
    python -m evals.cost --service [--turns 20]

The prompts are those of Noted's own layout, window, summary and extraction; no model is called. Turns are
made up, of `--tokens` tokens each, or those of one speaker of a LoCoMo dialogue (Maharana et al. 2024,
CC BY-NC 4.0: bring your own copy). Tokens are estimated as `noted.context.tokens` does. What caches find is
worked out by the rules in `evals.cost.caching`, prices by those in `evals.cost.rates`. `--service` plays the
turns over HTTP to the whole service with the stand-in model of the tests and shows the usage that it reports.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from evals.cost import report
from evals.cost.accounts import Account
from evals.cost.conversation import Talk, full_replay, sliding_window, talk, talk_of
from evals.cost.ours import noted
from evals.cost.rates import RATES, Rates, load
from noted.conversation.window import WINDOW


def accounts(held: Talk, rates: tuple[Rates, ...]) -> dict[str, Account]:
    """What a conversation costs by each strategy, Noted's last."""
    calls = {
        "full replay": full_replay(held),
        f"sliding window of {WINDOW.high}": sliding_window(held, WINDOW.high),
        f"sliding window of {WINDOW.low}": sliding_window(held, WINDOW.low),
        "Noted, incognito": noted(held, memory=False),
        "Noted": noted(held),
    }
    return {name: Account(made, rates) for name, made in calls.items()}


def main() -> None:
    """Reads the arguments and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m evals.cost", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--turns", type=int, nargs="+", default=[20, 100, 500], help="lengths to compare")
    parser.add_argument("--tokens", type=int, default=400, help="of a made-up turn (%(default)s)")
    parser.add_argument("--rates", type=Path, help="prices as JSON instead of the built-in ones")
    parser.add_argument("--plot", type=Path, help="writes the growth as SVG, at the first rates")
    parser.add_argument("--locomo", type=Path, help="locomo10.json, for real turns")
    parser.add_argument("--conversation", type=int, default=1, help="which one of LoCoMo's ten, from 1")
    parser.add_argument("--service", action="store_true", help="over HTTP to the service itself")
    chosen = parser.parse_args()
    if min(chosen.turns) < 1 or chosen.tokens < 60:
        parser.error("a conversation has at least one turn, and a turn at least 60 tokens")
    try:
        rates = load(chosen.rates) if chosen.rates else RATES
    except (OSError, ValueError) as error:
        parser.error(str(error))
    terminal = Console()
    console = terminal if terminal.is_terminal else Console(width=130)
    lengths = sorted(chosen.turns)
    if chosen.locomo:
        held, title = _locomo(chosen.locomo, chosen.conversation)
        lengths = sorted({min(turns, len(held.turns)) for turns in lengths})
    else:
        held, title = talk(lengths[-1], chosen.tokens), f"turns of {chosen.tokens} tokens"
    if chosen.service:
        from evals.cost import service

        console.print(*service.tables(service.play(held)))
        return
    compared = accounts(held, rates)
    console.print(report.tokens(compared, lengths, title))
    console.print(report.prices(compared, lengths))
    console.print(report.purposes(compared["Noted"], lengths[-1], f"Noted, {lengths[-1]} turns, by purpose"))
    if chosen.plot:
        chosen.plot.write_text(report.plot(compared, 0), "utf-8")


def _locomo(path: Path, number: int) -> tuple[Talk, str]:
    from evals.locomo import load as dialogues
    from evals.replay import exchanges

    dialogue = dialogues(path)[number - 1]
    speaker = dialogue.speakers[0]
    said = [(each.words, each.answer) for each in exchanges(dialogue, speaker) if each.answer]
    return talk_of(said), f"LoCoMo conversation {number}, {len(said)} turns of {speaker}"


if __name__ == "__main__":
    main()
