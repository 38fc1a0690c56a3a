"""Silence, jail and reports."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import attrs
import pytest

from tests.kit.worlds import goes_on, lines_of, plain_content, plain_world, player
from world import conduct, ignoring, life, speech
from world.events import Speech
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.rules.numbers import ConductRule
from world.sentence import Penalty, Report, Sentence

if TYPE_CHECKING:
    from world.directory import Known
    from world.world import World


def guarded() -> World:
    """A world with a jail, whose clock is not the wall's."""
    rule = ConductRule(jail_realm="cave", jail_x=5, jail_y=5, jail_tiles=2)
    world = plain_world(attrs.evolve(plain_content(), conduct=rule))
    world.epoch = 1_000_000.0
    conduct.settle(world)
    return world


def known(mobile: Mobile) -> Known:
    found = mobile.world.directory.of(mobile.serial)
    assert found is not None
    return found


def again(mobile: Mobile) -> Mobile:
    """The same character after it has left and come again."""
    world = mobile.world
    place = mobile.x, mobile.y
    assert mobile.realm is not None
    realm = mobile.realm
    world.leave(mobile)
    back = Mobile(
        mobile.serial, world, mobile.name, template=mobile.template, account=mobile.account, online=True
    )
    world.enter(back, realm, *place)
    conduct.arrived(back)
    return back


def refused(why: Refusal, deed: object, *args: object) -> None:
    assert callable(deed)
    with pytest.raises(Cannot) as caught:
        deed(*args)
    assert caught.value.why is why


# Silence


def test_an_account_is_silenced_until_its_time_is_over() -> None:
    world = guarded()
    alric = player(world, "Alric")
    conduct.mute(world, known(alric), 90.0, "spam", "staff")
    assert lines_of(alric) == ["You are silenced for 2 minutes more: spam."]
    refused(Refusal.GAGGED, speech.say, alric, "hear")
    other = player(world, "Other", 11)
    assert other.account == alric.account
    refused(Refusal.GAGGED, speech.say, other, "hear")
    goes_on(world, 91)
    speech.say(alric, "hear")
    goes_on(world, 60)
    assert not world.records.all(Sentence)


def test_it_can_be_lifted_and_replaced() -> None:
    world = guarded()
    alric = player(world, "Alric")
    refused(Refusal.NO_SENTENCE, conduct.unmute, world, known(alric))
    conduct.mute(world, known(alric), 3600.0)
    conduct.mute(world, known(alric), 60.0)
    (sentence,) = conduct.sentences(world)
    assert sentence.until == conduct.now_of(world) + 60
    assert conduct.unmute(world, known(alric)) is sentence
    speech.say(alric, "hear")


def test_nobody_looks_for_sentences_where_nobody_serves_one() -> None:
    world = guarded()
    before = len(world.timers)
    alric = player(world)
    conduct.mute(world, known(alric), 90.0)
    conduct.mute(world, known(alric), 30.0)
    assert len(world.timers) == before + 1
    goes_on(world, 121)
    assert not world.records.all(Sentence)
    assert len(world.timers) == before


def test_what_the_store_kept_holds_from_the_start() -> None:
    world = guarded()
    alric = player(world, "Alric")
    over = Sentence(Penalty.MUTE.value, 7, 70, "Gone", conduct.now_of(world) - 1)
    world.records.add(over)
    world.records.add(
        Sentence(Penalty.MUTE.value, alric.account, alric.serial, "Alric", conduct.now_of(world) + 60)
    )
    conduct.settle(world)
    assert world.gags == {alric.account: world.now + 60}
    assert over not in world.records.all(Sentence).values()
    conduct.arrived(alric)
    assert lines_of(alric) == ["You are silenced for 1 minute more."]


# Jail


def test_who_is_in_jail_stays_there_and_is_then_where_it_was() -> None:
    world = guarded()
    alric = player(world, "Alric", 30, 30)
    conduct.jail(world, known(alric), 60.0, "theft", "staff")
    cave = world.realms["cave"]
    assert (alric.realm, alric.x, alric.y) == (cave, 5, 5)
    world.warp(alric, cave, 7, 7)
    goes_on(world, 1.5)
    assert (alric.x, alric.y) == (7, 7), "there is some room"
    for realm, x, y in ((cave, 8, 5), (world.realms["plain"], 5, 5)):
        world.warp(alric, realm, x, y)
        goes_on(world, 1.5)
        assert (alric.realm, alric.x, alric.y) == (cave, 5, 5)
    conduct.jail(world, known(alric), 30.0)
    goes_on(world, 31)
    assert (alric.realm, alric.x, alric.y) == (world.realms["plain"], 30, 30)
    assert lines_of(alric)[-1] == "You are free to go."
    assert not world.records.all(Sentence)
    world.warp(alric, cave, 9, 9)
    goes_on(world, 5)
    assert (alric.x, alric.y) == (9, 9)


def test_jail_waits_for_those_who_are_away_and_ends_while_they_are() -> None:
    world = guarded()
    alric = player(world, "Alric", 30, 30)
    conduct.jail(world, known(alric), 600.0)
    alric = again(alric)
    world.warp(alric, world.realms["plain"], 5, 5)
    goes_on(world, 1.5)
    assert alric.realm is world.realms["cave"]
    who = known(alric)
    world.leave(alric)
    conduct.unjail(world, who)
    goes_on(world, 120)
    assert not conduct.sentences(world)
    alric.online = True
    world.enter(alric, world.realms["cave"], 5, 5)
    conduct.arrived(alric)
    goes_on(world, 1.1)
    assert (alric.realm, alric.x, alric.y) == (world.realms["plain"], 30, 30)
    assert not world.records.all(Sentence)


def test_who_is_jailed_while_away_finds_itself_there() -> None:
    world = guarded()
    alric = player(world, "Alric", 30, 30)
    who = known(alric)
    world.leave(alric)
    conduct.jail(world, who, 60.0)
    world.enter(alric, world.realms["plain"], 31, 31)
    conduct.arrived(alric)
    goes_on(world, 1.1)
    assert alric.realm is world.realms["cave"]
    conduct.unjail(world, who)
    assert (alric.realm, alric.x, alric.y) == (world.realms["plain"], 31, 31)
    refused(Refusal.NO_SENTENCE, conduct.unjail, world, who)


def test_ghosts_may_go_to_a_healer() -> None:
    world = guarded()
    alric = player(world, "Alric", 30, 30)
    conduct.jail(world, known(alric), 60.0)
    life.kill(alric)
    world.warp(alric, world.realms["plain"], 30, 30)
    goes_on(world, 2)
    assert alric.realm is world.realms["plain"]
    life.resurrect(alric)
    goes_on(world, 2)
    assert alric.realm is world.realms["cave"]


def test_a_world_without_a_jail_has_none() -> None:
    world = plain_world()
    alric = player(world, "Alric")
    refused(Refusal.NO_JAIL, conduct.jail, world, known(alric), 60.0)
    assert not world.records.all(Sentence)


# Reports


def test_a_report_has_what_was_said_around_the_reporter(monkeypatch: pytest.MonkeyPatch) -> None:
    world = guarded()
    alric, berta = player(world, "Alric", 10, 10), player(world, "Berta", 12, 10)
    carl, far = player(world, "Carl", 14, 10), player(world, "Far", 50, 50)
    speech.say(berta, "you fool")
    speech.say(far, "nobody hears this")
    speech.tell(berta, "Alric", "and in private")
    speech.tell(berta, "Carl", "which is theirs alone")
    speech.to_all(world, "hello all", speaker=far)
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [alric, berta])
    speech.to_company(berta, Speech.PARTY, "in our party")
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [carl, berta])
    speech.to_company(berta, Speech.PARTY, "in theirs")
    ignoring.ignore(alric, "Carl")
    speech.say(carl, "who ignores somebody reports less", Speech.YELL)
    world.begin(world.now + 5)
    conduct.report(alric, "berta", "she insults me")
    (report,) = conduct.reports(world).values()
    assert (report.who, report.about, report.text, report.place) == (
        *("Alric", "Berta", "she insults me"),
        "plain 10 10",
    )
    assert report.lines.split("\n") == [
        "5 s before, Berta (say): you fool",
        "5 s before, Berta (tell): and in private",
        "5 s before, Far (global): hello all",
        "5 s before, Berta (party): in our party",
        "5 s before, Carl (yell): who ignores somebody reports less",
    ]
    assert [plea.text for plea in world.pleas] == ["about Berta: she insults me"]
    assert conduct.resolve(world, report.number) is report
    refused(Refusal.NO_REPORT, conduct.resolve, world, report.number)


def test_what_is_kept_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conduct, "MOST_REPORTS", 3)
    world = guarded()
    alric = player(world, "Alric")
    player(world, "Berta", 11)
    world.heard = deque(world.heard, maxlen=150)
    for number in range(200):
        world.begin(world.now + 2)
        speech.say(alric, f"line {number}")
    for number in range(5):
        world.begin(world.now + 10)
        conduct.report(alric, "Berta", f"report {number}")
    assert [one.text for one in conduct.reports(world).values()] == ["report 2", "report 3", "report 4"]
    lines = next(iter(conduct.reports(world).values())).lines.split("\n")
    assert len(lines) == conduct.LINES
    assert lines[-1].endswith("line 199")


def test_a_report_may_name_nobody_and_be_taken_back() -> None:
    world = guarded()
    alric, other = player(world, "Alric"), player(world, "Other", 11)
    first = conduct.report(alric, "", "I am stuck")
    assert (first.title, world.pleas[-1].text) == ("Alric", "I am stuck")
    second = conduct.report(alric, "Other", "no, it is that one")
    assert second.title == "Alric about Other"
    refused(Refusal.NO_REPORT, conduct.withdraw, other)
    assert conduct.withdraw(alric) is second
    assert list(conduct.reports(world).values()) == [first]
    conduct.resolve(world, first.number)
    refused(Refusal.NO_REPORT, conduct.withdraw, alric)


def test_what_is_refused_in_a_report() -> None:
    world = guarded()
    alric = player(world, "Alric")
    player(world, "Berta", 11)
    refused(Refusal.NOBODY, conduct.report, alric, "nobody", "words")
    refused(Refusal.ONESELF, conduct.report, alric, "alric", "words")
    refused(Refusal.NO_WORDS, conduct.report, alric, "Berta", "  ")
    assert not world.records.all(Report)


# Words


def test_words_are_filtered_only_where_the_rules_list_them() -> None:
    rule = ConductRule(filtered=("darn", "heck (sic)"))
    for words, read in ((rule, "**** that darning ****!"), (ConductRule(), "Darn that darning DARN!")):
        world = plain_world(attrs.evolve(plain_content(), conduct=words))
        alric, berta = player(world, "Alric", 10), player(world, "Berta", 11)
        speech.say(alric, "Darn that darning DARN!")
        speech.tell(alric, "Berta", "Darn that darning DARN!")
        speech.to_all(world, "Darn that darning DARN!", speaker=alric)
        assert lines_of(berta) == [read] * 3
