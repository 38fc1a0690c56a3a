"""What the help of a command names is what there is."""

from __future__ import annotations

import pytest

from protocol.games import GAMES
from server.__main__ import main
from server.bots.bench import SCENARIOS
from server.bots.games import BOTS


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """As it is printed, on one line."""
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return " ".join(capsys.readouterr().out.replace("-\n", "-").split())


@pytest.mark.parametrize("command", ["packets", "bots", "bench"])
def test_it_names_every_game(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = GAMES if command == "packets" else BOTS
    assert f"Games: {', '.join(names)}." in help_of(command, capsys)
    assert names.keys() >= GAMES.keys()


def test_it_names_every_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"Scenarios: {', '.join(SCENARIOS)}." in help_of("bench", capsys)


@pytest.mark.parametrize("rate", ["0", "-1", "101", "nan", "fast"])
def test_a_rate_that_nobody_can_keep_is_refused(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bench", "--rate", rate])
    assert ended.value.code == 2
    assert "argument --rate" in capsys.readouterr().err
