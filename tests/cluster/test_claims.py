"""Who may have a character in memory: one world at a time, whatever the others think (issue 22, proofs 1, 6
and 8).

On PostgreSQL, each world by a connection of its own. Skipped where that or psycopg is not installed; CI has
both.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from server.store.check import check_database
from server.store.errors import CharacterElsewhere, Elsewhere, RealmHeld, WorldLost
from server.store.records import NOT_PLAYED, NoteRow, Seen, Standing, TransferRow, mark_of
from tests.kit import postgres, stored
from tests.kit.claiming import at_once, claim
from world.snapshot import ItemRow, item_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.store.database import Database
    from tests.kit.realms import Worlds
    from world.mobile import Mobile

pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = [
    pytest.mark.skipif(postgres.MISSING, reason=postgres.WHY),
    pytest.mark.timeout(180),
]

LONG = (pytest.mark.soak, pytest.mark.timeout(0))
NOW = 1_000_000.0
ROUNDS = [12, pytest.param(2000, marks=LONG)]


def elsewhere(database: Database, mobile: Mobile) -> int | None:
    with pytest.raises(Elsewhere) as caught:
        claim(database, mobile.serial)
    return caught.value.world


def lying(serial: int, realm: str) -> ItemRow:
    return ItemRow(serial, "dagger", None, 0, 0, 0, realm, 1, 2, 0, 1, 0, "")


# Claims


def test_a_character_is_one_world_s_until_that_gives_it_up(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    arthur = worlds.character("Arthur")
    second.announce("192.0.2.2:7100")
    assert not claim(first, 4711), "no such character"
    assert not claim(first, arthur.serial, account_id=worlds.account.id + 1)
    assert claim(second, arthur.serial, account_id=worlds.account.id)
    assert claim(second, arthur.serial), "again"
    with pytest.raises(Elsewhere) as caught:
        claim(first, arthur.serial)
    assert (caught.value.world, caught.value.address) == (2, "192.0.2.2:7100")
    assert not first.release(arthur.serial)
    second.commit_batch(worlds.batch(arthur, 77, left=[arthur.serial]))
    assert worlds.owner(arthur) is None
    assert claim(first, arthur.serial)
    assert (worlds.owner(arthur), worlds.gold(arthur)) == (1, 77)
    assert check_database(first) == []


def test_nobody_deletes_a_character_that_another_world_has(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(second, arthur.serial)
    assert not first.delete_character(worlds.account.id, arthur.serial)
    assert not first.schedule_deletion(worlds.account.id, arthur.serial, 9.0)
    assert second.schedule_deletion(worlds.account.id, arthur.serial, 9.0)
    assert second.release(arthur.serial)
    assert not claim(first, arthur.serial), "it awaits deletion"


def test_what_a_dead_world_had_is_for_whoever_comes_first(worlds: Worlds) -> None:
    """Proof 1: and what that one kept is refused afterwards, also when its successor has gone again."""
    first, second, third = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    for mobile in (arthur, bertram):
        assert claim(first, mobile.serial)
    first.commit_batch(worlds.batch(arthur, 50))
    kept = [worlds.batch(arthur, 60), worlds.batch(bertram, 60)]
    worlds.falls_silent(1)
    assert claim(second, arthur.serial)
    assert (worlds.owner(arthur), worlds.owner(bertram)) == (2, None)
    second.commit_batch(worlds.batch(arthur, 77, left=[arthur.serial]))
    assert claim(third, bertram.serial)
    before = worlds.say("SELECT * FROM item ORDER BY serial"), worlds.say("SELECT epoch, beat FROM world")
    for batch in kept:
        with pytest.raises(WorldLost):
            first.commit_batch(batch)
    for write in (first.beat, first.mark_clean, lambda: claim(first, arthur.serial)):
        with pytest.raises(WorldLost):
            write()
    assert before == (
        worlds.say("SELECT * FROM item ORDER BY serial"),
        worlds.say("SELECT epoch, beat FROM world"),
    )
    assert (worlds.owner(arthur), worlds.owner(bertram), worlds.gold(arthur)) == (None, 3, 77)
    assert check_database(second) == []


def test_a_world_that_comes_back_has_nothing_in_memory(worlds: Worlds) -> None:
    arthur = worlds.character("Arthur")
    assert claim(worlds.databases[1], arthur.serial)
    stale = worlds.batch(arthur, 60)
    worlds.databases[1].close()
    again = worlds.start(2)
    assert worlds.owner(arthur) is None
    with pytest.raises(CharacterElsewhere):
        again.commit_batch(stale)
    assert worlds.gold(arthur) == 100
    again.mark_clean()
    assert [row.alive for row in worlds.databases[0].worlds()] == [True, False, True]


def test_a_batch_with_somebody_else_s_rows_is_refused_as_a_whole(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    assert claim(first, arthur.serial)
    assert claim(second, bertram.serial)
    assert first.beat() == 2
    purse, dagger = item_row(stored.purse(bertram)), lying(0x40000900, "field")
    mine, theirs = worlds.batch(arthur, 60), worlds.batch(bertram, 1)
    for items in (
        [purse._replace(parent=arthur.serial)],
        [purse._replace(parent=None, realm="field")],
        [dagger._replace(realm=None, parent=bertram.serial)],
        [dagger._replace(realm=None, parent=purse.parent)],
    ):
        with pytest.raises(CharacterElsewhere):
            first.commit_batch(mine._replace(items=[*mine.items, *items]))
    with pytest.raises(CharacterElsewhere):
        first.commit_batch(mine._replace(deleted=[purse.serial]))
    with pytest.raises(CharacterElsewhere):
        first.commit_batch(mine._replace(characters=[*mine.characters, *theirs.characters]))
    assert (worlds.gold(arthur), worlds.gold(bertram)) == (100, 100)
    first.commit_batch(mine)
    assert (worlds.gold(arthur), worlds.gold(bertram)) == (60, 100)


def test_a_note_about_a_character_of_another_world_is_that_one_s_to_write(worlds: Worlds) -> None:
    """It is written in the menu, before anybody enters: no world may be stopped by it."""
    first, second, _ = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    assert claim(second, bertram.serial)
    notes = [NoteRow(mobile.serial, "l2", "bar", "F1") for mobile in (arthur, bertram)]
    first.commit_batch(worlds.batch(arthur, 1)._replace(characters=(), items=(), notes=notes))
    assert first.notes("l2", "bar") == {arthur.serial: "F1"}


# Sessions of accounts


def changed(worlds: Worlds, login: int, mark: str | None = None) -> list[Standing]:
    """What became of the account, for a world that knows so much of it."""
    seen = Seen(worlds.account.id, login, mark_of(worlds.account.password) if mark is None else mark, 0)
    return worlds.databases[0].changed_accounts([seen], NOW)


def test_what_became_of_an_account_is_told_if_it_is_not_what_was_known(worlds: Worlds) -> None:
    account, mark = worlds.account, mark_of(worlds.account.password)
    database = worlds.databases[1]
    assert changed(worlds, NOT_PLAYED) == []
    assert changed(worlds, NOT_PLAYED, "") == [Standing(account.id, False, 0, mark, False, "")]
    database.ban(account.id, NOW + 1, "rude")
    assert changed(worlds, NOT_PLAYED) == [Standing(account.id, False, 0, mark, True, "rude")]
    database.ban(account.id, NOW - 1, "rude")
    assert changed(worlds, NOT_PLAYED) == []
    database.set_access(account.id, 3)
    assert changed(worlds, NOT_PLAYED) == [Standing(account.id, False, 0, mark, False, "rude", 3)]
    database.set_access(account.id, 0)
    database.set_password(account.id, "another")
    assert changed(worlds, NOT_PLAYED)[0].mark == mark_of("another") != mark
    assert database.delete_account(account.id)
    assert changed(worlds, NOT_PLAYED) == [Standing(account.id, True, 0, "", False, "")]
    assert database.changed_accounts([], NOW) == []


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_one_account_at_three_doors_one_plays(worlds: Worlds, rounds: int) -> None:
    """Proof 6: with one character, and with one for each door."""
    arthur = worlds.character("Arthur")
    others = [worlds.character(name) for name in ("Bertram", "Clara", "Dora")]
    for number in range(rounds):
        chosen = [arthur] * 3 if number % 2 else others
        sessions = [database.raise_session(worlds.account.id) for database in worlds.databases]
        assert sessions == sorted(set(sessions))
        outcomes = at_once(
            *(
                partial(claim, database, mobile.serial, session=session)
                for database, mobile, session in zip(worlds.databases, chosen, sessions, strict=True)
            )
        )
        assert [outcome is True for outcome in outcomes] == [False, False, True], outcomes
        assert worlds.owner(chosen[2]) == 3
        played = worlds.say("SELECT count(*) FROM character WHERE world IS NOT NULL")
        assert played == "1"
        assert [found.login for found in changed(worlds, sessions[1])] == [sessions[2]]
        assert changed(worlds, sessions[2]) == []
        assert worlds.databases[2].release(chosen[2].serial)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_three_worlds_that_want_a_character_one_has_it(worlds: Worlds, rounds: int) -> None:
    arthur = worlds.character("Arthur")
    for _ in range(rounds):
        outcomes = at_once(*(partial(claim, one, arthur.serial) for one in worlds.databases))
        assert outcomes.count(True) == 1, outcomes
        holder = worlds.owner(arthur)
        assert outcomes.index(True) + 1 == holder
        assert worlds.databases[holder - 1].release(arthur.serial)


@pytest.mark.parametrize("rounds", [4, pytest.param(1000, marks=LONG)])
def test_two_that_find_a_world_dead_wait_for_each_other(worlds: Worlds, rounds: int) -> None:
    """Whether both want the same one of what it had, or each another one."""
    first, second, third = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    for number in range(rounds):
        for mobile in (arthur, bertram):
            assert claim(first, mobile.serial)
        worlds.falls_silent(1)
        wanted = arthur if number % 2 else bertram
        outcomes = at_once(partial(claim, second, arthur.serial), partial(claim, third, wanted.serial))
        assert outcomes.count(True) == (1 if wanted is arthur else 2), outcomes
        with pytest.raises(WorldLost):
            first.beat()
        first.close()
        first = worlds.start(1)
        for database in (second, third):
            database.release(arthur.serial)
        third.release(bertram.serial)


def test_no_clock_of_a_process_counts(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proof 8: neither who is alive nor whether a login is still good follows one that jumps by an hour."""
    first, second, _ = worlds.databases
    arthur, bertram = worlds.character("Arthur"), worlds.character("Bertram")
    assert claim(first, arthur.serial)
    now = time.time
    for jump in (3600.0, -3600.0):
        monkeypatch.setattr(time, "time", lambda jump=jump: now() + jump)
        first.put_token("key", worlds.account.id, "uo", {"seed": 7}, "192.0.2.1", 30.0)
        assert elsewhere(second, arthur) == 1
        second.commit_batch(worlds.batch(bertram, 1)._replace(characters=(), items=(), wall=time.time()))
        assert elsewhere(second, arthur) == 1
        found = second.redeem_token("key", "uo")
        assert found is not None
        assert (found.account, found.notes, found.address) == (worlds.account.id, {"seed": 7}, "192.0.2.1")
    worlds.falls_silent(1)
    assert claim(second, arthur.serial)


def test_a_login_is_good_once_and_for_a_while(worlds: Worlds) -> None:
    first, second, third = worlds.databases
    for key, seconds in (("old", -0.5), ("new", 30.0), ("other", 30.0)):
        first.put_token(key, worlds.account.id, "uo", {}, "192.0.2.1", seconds)
    assert second.redeem_token("old", "uo") is None
    assert second.redeem_token("new", "eo") is None
    assert second.peek_token("new", "uo") is not None
    found = at_once(lambda: second.redeem_token("new", "uo"), lambda: third.redeem_token("new", "uo"))
    assert found.count(None) == 1
    # Those of the page are ended by what ends them, and not by whoever hears of it later.
    number, mark = worlds.account.id, mark_of(worlds.account.password)
    assert first.put_page_login("cookie", number, mark, NOW + 60, NOW, 8)
    third.revoke_tokens([worlds.account.id])
    assert second.page_login("cookie", NOW) == worlds.account
    second.keep_page_logins({"cookie": NOW + 90})
    assert third.page_logins(["cookie", "none"], NOW + 80) == {"cookie"}
    assert first.put_page_login("later", number, mark, NOW + 200, NOW, 1)
    assert third.page_logins(["cookie", "later"], NOW) == {"later"}
    assert second.page_login("later", NOW + 200) is None
    third.set_password(worlds.account.id, "another")
    assert first.page_login("later", NOW) is None
    assert not first.put_page_login("late", number, mark, NOW + 60, NOW, 8), "by the password of before"
    assert not first.put_page_login("nobody", number + 1, mark, NOW + 60, NOW, 8)
    assert second.redeem_token("other", "uo") is None


# Realms

REALMS = ("field", "marsh", "tower")


def test_realms_are_claimed_and_what_lies_there_comes_with_them(worlds: Worlds) -> None:
    first, second, third = worlds.databases
    daggers = [lying(0x40000800 + number, realm) for number, realm in enumerate((*REALMS, "gone"))]
    first.commit_batch(worlds.batch(worlds.character("Arthur"), 100)._replace(characters=(), items=daggers))
    assert not first.only_realms
    assert second.claim_realms(REALMS, ["marsh"]) == {"marsh"}
    assert first.claim_realms(REALMS) == {"field", "tower"}
    assert first.only_realms == frozenset({"field", "tower"})
    assert third.claim_realms(REALMS) == set()
    with pytest.raises(RealmHeld, match="the realm marsh belongs to world 2, which is alive"):
        third.claim_realms(REALMS, ["marsh", "tower"])
    assert first.ground_items() == [daggers[0], daggers[2], daggers[3]], (
        "with what lies where nothing is any more"
    )
    assert second.ground_items() == [daggers[1]]
    assert third.ground_items() == []
    # A world that stops gives them up; one that falls silent has them taken.
    second.mark_clean()
    worlds.falls_silent(1)
    assert third.claim_realms(REALMS, ["marsh", "tower"]) == {"marsh", "tower"}
    with pytest.raises(WorldLost):
        first.beat()
    assert third.ground_items() == daggers[1:3]
    assert check_database(third) == []


def test_a_character_that_nobody_has_is_for_the_world_that_has_its_realm(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    arthur = worlds.character("Arthur")  # stands in the field
    second.claim_realms(REALMS, ["field"])
    first.claim_realms(REALMS)
    assert elsewhere(first, arthur) == 2
    worlds.falls_silent(2)
    assert elsewhere(first, arthur) is None, "whoever has the field next has Arthur, too"
    with pytest.raises(WorldLost):
        second.beat()
    assert first.claim_realms(REALMS) == set(REALMS)
    assert claim(first, arthur.serial)


def test_records_are_the_home_world_s(worlds: Worlds) -> None:
    first, second, _ = worlds.databases
    assert (first.home, second.home) == (True, False)
    worlds.say(
        "INSERT INTO report (number, at, who, about, text, place, lines) VALUES (1, 1, 'a', 'b', 'c', '', '')"
    )
    assert [row.table for row in first.records()] == ["report"]
    assert second.records() == []


# From one world to another


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_the_two_ends_of_a_transfer_one_has_the_character(worlds: Worlds, rounds: int) -> None:
    first, second, _ = worlds.databases
    arthur = worlds.character("Arthur")
    won = set()
    for number in range(rounds):
        assert claim(first, arthur.serial)
        row = TransferRow(f"t{number}", arthur.serial, 2)
        first.commit_batch(worlds.batch(arthur, number + 1, transfers=[row]))
        assert worlds.owner(arthur) == 2
        with pytest.raises(CharacterElsewhere):
            first.commit_batch(worlds.batch(arthur, 999))
        there: Callable[[], object] = partial(second.accept, row.id)
        if number % 3 == 2:
            there = partial(claim, second, arthur.serial)  # as for a login that comes in between
        back, came = at_once(partial(first.take_back, row.id), there)
        assert back is not (came in (True, arthur.serial)), (back, came)
        holder = 1 if back else 2
        won.add(holder)
        assert worlds.owner(arthur) == holder
        assert first.take_back(row.id) is back, "for whoever did not hear it"
        assert second.accept(row.id) == (None if back or number % 3 == 2 else arthur.serial)
        worlds.databases[holder - 1].commit_batch(worlds.batch(arthur, number + 1, left=[arthur.serial]))
        assert not first.take_back(row.id), "it has left since"
        assert second.accept(row.id) is None
    assert won
    assert worlds.gold(arthur) == rounds


def test_whom_the_world_it_was_sent_gave_up_is_not_that_one_s_any_more_nor_the_sender_s(
    worlds: Worlds,
) -> None:
    """As when it is asked for by a third one, before it comes in."""
    first, second, third = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(first, arthur.serial)
    first.commit_batch(worlds.batch(arthur, 5, transfers=[TransferRow("t", arthur.serial, 2)]))
    assert second.release(arthur.serial)
    assert claim(third, arthur.serial)
    assert second.accept("t") is None
    assert not first.take_back("t")
    assert worlds.owner(arthur) == 3


def test_whom_neither_side_of_a_way_settles_is_for_whoever_wants_it_after_a_while(worlds: Worlds) -> None:
    """As when the sender died before it could tell the other world."""
    first, second, third = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(first, arthur.serial)
    first.commit_batch(worlds.batch(arthur, 5, transfers=[TransferRow("t", arthur.serial, 2)]))
    assert elsewhere(third, arthur) == 2
    worlds.say("UPDATE transfer SET at = now() - interval '1 hour'")
    assert claim(third, arthur.serial)
    assert second.accept("t") is None
    assert not first.take_back("t")
    assert worlds.owner(arthur) == 3
    third.commit_batch(worlds.batch(arthur, 6, transfers=[TransferRow("u", arthur.serial, 2)]))
    assert second.accept("u") == arthur.serial
    worlds.say("UPDATE transfer SET at = now() - interval '1 hour'")
    assert elsewhere(third, arthur) == 2, "it has arrived"


@pytest.mark.parametrize("kept", [False, True], ids=["as now", "as in a database of before"])
def test_a_way_that_was_given_up_is_not_taken_for_a_later_one(worlds: Worlds, kept: bool) -> None:
    """Else whoever came by the later one counts as stranded, and is taken from the world that it plays in."""
    first, second, third = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(first, arthur.serial)
    first.commit_batch(worlds.batch(arthur, 5, transfers=[TransferRow("t", arthur.serial, 2)]))
    assert second.release(arthur.serial), "a login elsewhere asks for it before it comes in"
    assert worlds.say("SELECT state FROM transfer") == "lost"
    if kept:
        worlds.say("UPDATE transfer SET state = 'sent'")
    assert claim(third, arthur.serial)
    third.commit_batch(worlds.batch(arthur, 6, transfers=[TransferRow("u", arthur.serial, 2)]))
    assert second.accept("u") == arthur.serial
    worlds.say("UPDATE transfer SET at = now() - interval '1 hour'")
    assert first.worlds_of([arthur.serial]) == {arthur.serial: 2}
    assert elsewhere(third, arthur) == 2
    second.commit_batch(worlds.batch(arthur, 7))
    assert worlds.say("SELECT string_agg(state, ' ' ORDER BY id) FROM transfer") == "lost arrived"


def test_whom_a_dead_world_was_sent_is_had_by_nobody_until_it_is_claimed(worlds: Worlds) -> None:
    first, _, third = worlds.databases
    arthur = worlds.character("Arthur")
    assert claim(first, arthur.serial)
    first.commit_batch(worlds.batch(arthur, 5, transfers=[TransferRow("t", arthur.serial, 2)]))
    assert elsewhere(third, arthur) == 2
    worlds.falls_silent(2)
    assert claim(third, arthur.serial)
    assert not first.take_back("t")
    assert elsewhere(first, arthur) == 3
    assert worlds.say("SELECT state FROM transfer") == "lost"


def test_worlds_that_start_together_write_the_same_numbers_down(worlds: Worlds) -> None:
    given = {"l2": {"items": {f"thing{number}": number for number in range(200)}}}
    calls = [partial(database.keep_kind_numbers, given) for database in worlds.databases]
    assert at_once(*calls) == [None] * 3
    assert worlds.databases[0].kind_numbers() == given
    with pytest.raises(IntegrityError):
        worlds.databases[1].keep_kind_numbers({"l2": {"items": {"other": 7}}})
