"""The `causeway` command, called as a shell calls it."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import attrs

from server.__main__ import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


@attrs.frozen
class Shell:
    """The command with a configuration of its own."""

    config: Path
    state: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def run(self, *words: str, typed: str = "") -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([*words, "--config", str(self.config)])
        out, err = self.capsys.readouterr()
        return code, out, err

    @property
    def url(self) -> str:
        return f"sqlite:///{self.state / 'causeway.db'}"
