"""Recorded messages of Lineage II."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.kit.l2_versions import newest

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "l2"
FROM_CLIENT: Final = json.loads((GOLDEN / "client_packets_c6.json").read_text())["packets"]
FROM_SERVER: Final = {
    row["name"]: [bytes.fromhex(sample["hex"]) for sample in row["samples"]]
    for row in json.loads((GOLDEN / "server_packets_c6.json").read_text())["packets"].values()
}

VERSION: Final = newest()
