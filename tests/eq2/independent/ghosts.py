"""What a client knows of the creatures around it: the last whole structs of each, kept up by what changed."""

from __future__ import annotations

import math
import struct

import attrs

from tests.eq2.independent.fields import Fields
from tests.eq2.independent.messages import INFO, POSITION, VISUAL, CreateGhost, DestroyGhost, UpdateGhost
from tests.eq2.independent.packed import Malformed, unpack, xor

CIRCLE = 360 * 64


@attrs.define
class Ghost:
    """One creature."""

    index: int
    id: int
    position: bytes
    visual: bytes
    info: bytes
    updates: int = 0

    def __attrs_post_init__(self) -> None:
        self.check()

    @property
    def place(self) -> tuple[float, float, float]:
        """East, up, south."""
        return Fields(self.position[60:72], f"the place of ghost {self.index}").point()

    @property
    def heading(self) -> float:
        """Degrees."""
        return float(struct.unpack_from("<h", self.position, 16)[0]) / 64 % 360

    @property
    def speed(self) -> float:
        """Units a second, as 256ths."""
        return float(struct.unpack_from("<h", self.position, 20)[0]) / 256

    @property
    def name(self) -> str:
        return Fields(self.info[671:735], f"the name of ghost {self.index}").chars(64)

    @property
    def hits(self) -> int:
        """Percent, which comes as 100 xor that; 0 stands for all."""
        return 100 ^ int.from_bytes(self.info[:4], "little")

    @property
    def level(self) -> int:
        return self.info[297]

    @property
    def corpse(self) -> bool:
        return bool(self.info[294])

    @property
    def fights(self) -> bool:
        """By the bit of its activity."""
        return bool(int.from_bytes(self.info[327:331], "little") & 1 << 14)

    @property
    def arrow(self) -> int:
        """The colour over it: 0 grey to 5 red."""
        return self.visual[0]

    @property
    def attackable(self) -> bool:
        return bool(self.visual[9])

    @property
    def model(self) -> int:
        return int.from_bytes(self.info[331:333], "little")

    @property
    def race(self) -> int:
        return self.info[1087]

    @property
    def gender(self) -> int:
        return self.info[1088]

    def check(self) -> None:
        """Raises Malformed for structs that no client can show."""
        where = f"ghost {self.index} ({self.id:#x})"
        if self.place == (0.0, 0.0, 0.0):
            raise Malformed(f"{where} stands nowhere")
        headings = struct.unpack_from("<2h", self.position, 16)
        if any(not -CIRCLE <= heading <= CIRCLE for heading in headings):
            raise Malformed(f"{where} looks to {headings}")
        if self.hits > 100 or int.from_bytes(self.info[4:8], "little") > 100:
            raise Malformed(f"{where} has {self.hits} % of its hits")
        if self.arrow > 5:
            raise Malformed(f"{where} has an arrow of the colour {self.arrow}")
        if not math.isfinite(struct.unpack_from("<f", self.info, 667)[0]):
            raise Malformed(f"{where} has no size")
        names = Fields(self.info[671:1055], f"the names of {where}")
        name = names.chars(64)
        if not name and self.visual[8]:
            raise Malformed(f"{where} has no name")
        for _last_prefix_suffix_guild in range(5):
            names.chars(64)
        Fields(self.visual[14:], f"the guild of {where}").chars(64)


class Ghosts:
    """All that a client was shown. Raises Malformed for an index or an id that it was not, or was already."""

    def __init__(self) -> None:
        self.by_index: dict[int, Ghost] = {}
        self.gone: list[Ghost] = []
        self.created = self.updated = 0

    def create(self, said: CreateGhost) -> None:
        """413."""
        if said.index in self.by_index:
            raise Malformed(f"index {said.index} is created and was not destroyed")
        if self.by_id(said.id) is not None:
            raise Malformed(f"id {said.id:#x} is created as {said.index} and has another index already")
        self.created += 1
        self.by_index[said.index] = Ghost(said.index, said.id, said.position, said.visual, said.info)

    def update(self, said: UpdateGhost) -> None:
        """417: each part is what is different from the last one."""
        ghost = self.by_index.get(said.index)
        if ghost is None:
            raise Malformed(f"index {said.index} is updated and was not created")
        if said.info is not None:
            ghost.info = xor(ghost.info, unpack(said.info, INFO))
        if said.position is not None:
            ghost.position = xor(ghost.position, unpack(said.position, POSITION))
        if said.visual is not None:
            ghost.visual = xor(ghost.visual, unpack(said.visual, VISUAL))
        ghost.updates += 1
        self.updated += 1
        ghost.check()

    def destroy(self, said: DestroyGhost) -> None:
        """416."""
        ghost = self.by_index.pop(said.index, None)
        if ghost is None:
            raise Malformed(f"index {said.index} is destroyed and was not created")
        self.gone.append(ghost)

    def by_id(self, number: int) -> Ghost | None:
        """By the id that is the same for its whole time."""
        return next((ghost for ghost in self.by_index.values() if ghost.id == number), None)

    def by_name(self, name: str) -> Ghost | None:
        """The first of that name."""
        return next((ghost for ghost in self.by_index.values() if ghost.name == name), None)
