"""What a Lineage II client shows of its player's clan, and the boxes that ask into one or for an alliance
(`tests.kit.l2_screen`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.l2_company import Company

if TYPE_CHECKING:
    from tests.kit.l2_reader import Reader


@attrs.define
class Clansman:
    """A row of the list."""

    level: int
    class_id: int
    online: int


@attrs.define
class ClanTable:
    """The window: what stands above the list, and its rows by name."""

    number: int
    name: str
    leader: str
    level: int
    ally: str
    at_war: bool
    members: dict[str, Clansman] = attrs.field(factory=dict)


class Clans(Company):
    """See the module."""

    def forget_world(self) -> None:
        """The menu: nothing of a world counts any more."""
        super().forget_world()
        self.clan: ClanTable | None = None
        """The window, if it shows a clan."""
        self.clan_asker = ""
        """The clan that it is asked into, in a box with yes and no."""
        self.ally_asker = ""
        """The clan that asks for an alliance, likewise."""
        self.clan_names: dict[int, str] = {}
        """By number, of those that it was told of."""
        self.clan_pages: list[tuple[object, ...]] = []
        """Further pages of the window, as they came."""

    def _ask_join_pledge(self, r: Reader) -> None:
        r.d()
        self.clan_asker = r.text()

    def _join_pledge(self, r: Reader) -> None:
        self.clan_asker = ""
        r.d()

    def _ask_join_ally(self, r: Reader) -> None:
        r.d()
        self.ally_asker = r.text()

    def _pledge_all(self, r: Reader) -> None:
        part, number, kind = r.ds(3)
        name, leader = r.text(), r.text()
        if part or kind or not name or not leader:
            self._fault(0x53, f"{name} of {leader} has parts")
        level, ally, at_war = self._head(r)
        self.clan = ClanTable(number, name, leader, level, ally, at_war)
        for _ in range(r.d()):
            self._clansman(0x53, r.text(), r)
            r.d()
        if leader not in self.clan.members:
            self._fault(0x53, f"{leader} is not in it")

    def _head(self, r: Reader) -> tuple[int, str, bool]:
        _crest, level = r.ds(2)
        r.skip("2d 2d 2d")
        _ally_id, ally = r.d(), r.text()
        _crest, at_war = r.ds(2)
        return level, ally, bool(at_war)

    def _clansman(self, opcode: int, name: str, r: Reader) -> None:
        level, class_id, _sex, number, online = r.ds(5)
        if not name or number <= 0 or online not in (0, number):
            self._fault(opcode, f"{name!r}, {number:#x}, {online:#x}")
        self._clan(opcode).members[name] = Clansman(level, class_id, online)

    def _pledge_info_update(self, r: Reader) -> None:
        clan = self._clan(0x88)
        if r.d() != clan.number:
            self._fault(0x88, "another clan")
        clan.level, clan.ally, clan.at_war = self._head(r)

    def _pledge_update(self, r: Reader) -> None:
        name = r.text()
        if name not in self._clan(0x54).members:
            self._fault(0x54, f"{name} is not in it")
        self._clansman(0x54, name, r)
        r.skip("2d")

    def _pledge_add(self, r: Reader) -> None:
        name, level, class_id = r.text(), r.d(), r.d()
        if name in self._clan(0x55).members:
            self._fault(0x55, f"{name} is there already")
        r.skip("2d")
        self._clan(0x55).members[name] = Clansman(level, class_id, r.d())
        r.d()

    def _pledge_delete(self, r: Reader) -> None:
        name = r.text()
        if self._clan(0x56).members.pop(name, None) is None:
            self._fault(0x56, f"{name} was not in it")

    def _pledge_delete_all(self, r: Reader) -> None:
        self._clan(0x82)
        self.clan = None

    def _pledge_info(self, r: Reader) -> None:
        self.clan_names[r.d()] = r.text()
        r.text()

    def _pledge_power(self, r: Reader) -> None:
        self.clan_pages.append(("power", r.ds(3)[-1]))

    def _pledge_grades(self, r: Reader) -> None:
        self.clan_pages.append(("grades", [tuple(r.ds(2)) for _ in range(r.d())]))

    def _pledge_member_power(self, r: Reader) -> None:
        grade, name, rights = r.d(), r.text(), r.d()
        self.clan_pages.append(("member power", name, grade, rights))

    def _pledge_member(self, r: Reader) -> None:
        r.d()
        name, _title, grade, clan = r.text(), r.text(), r.d(), r.text()
        r.text()
        self.clan_pages.append(("member", name, grade, clan))

    def _pledge_wars(self, r: Reader) -> None:
        tab, _page, number = r.ds(3)
        names = []
        for _ in range(number):
            names.append(r.text())
            r.skip("2d")
        self.clan_pages.append(("wars", tab, names))

    def _clan(self, opcode: int) -> ClanTable:
        if self.clan is None:
            self._fault(opcode, "it is in no clan")
            return ClanTable(0, "", "", 0, "", False)
        return self.clan
