"""Files of a game's client, by the names that its publisher has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def find(folder: Path, path: str) -> Path:
    """The file that a client calls `path` (steps apart by / or \\), in whatever letters it is written on this
    disk, and never outside of the folder. Raises OSError."""
    for step in path.replace("\\", "/").split("/"):
        found = next((entry for entry in folder.iterdir() if entry.name.lower() == step.lower()), None)
        if found is None:
            raise FileNotFoundError(2, "No such file or directory")
        folder = found
    return folder
