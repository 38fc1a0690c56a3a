"""What one has to do with others who need not be in sight: a guild, letters, friends, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.errands import toggles
from tests.browser.guests import FIND
from tests.browser.scripts import POINT
from tests.browser.settlers import FOUNDER, FOUNDERS, MEMBER, MEMBERS

if TYPE_CHECKING:
    from tests.browser.conftest import Door
    from tests.browser.guests import Company, Guest, Host


def founds(visitor: Guest) -> None:
    """A guild, by the question that is asked who has none, with keys alone."""
    page = visitor.page
    page.focus("#map")
    page.keyboard.press("g")
    asked = page.locator("#dialog", has_text="You are in no guild.")
    asked.get_by_label("Its name?").fill("Weavers")
    asked.get_by_label("Its tag?").fill("WV")
    page.keyboard.press("Enter")
    visitor.hears("You have founded Weavers [WV].")


def writes(visitor: Guest) -> None:
    """A parcel for the other one in the bank."""
    page = visitor.page
    page.keyboard.press("l")
    mail = page.locator("#mail")
    mail.get_by_role("button", name="Write a letter").click()
    mail.get_by_role("button", name="Send it").click()
    mail.locator(".told", has_text="To whom?").wait_for()
    mail.get_by_label("To whom?").fill(MEMBER)
    mail.get_by_label("About what?").fill("Bread")
    mail.get_by_label("What shall it say?").fill("Eat it.\nSoon.")
    mail.get_by_label("How many: bread loaf").fill("2")
    mail.get_by_role("button", name="Put in: bread loaf").click()
    mail.get_by_role("button", name="Take back: bread loaf").wait_for()
    mail.get_by_label("How many: gold in the letter").fill("7")
    mail.get_by_role("button", name="Send it").click()
    mail.locator(".told", has_text=f"Your letter to {MEMBER} with 2 bread loaves and 7 gold coins").wait_for()
    mail.get_by_role("button", name="Write a letter").wait_for()


def takes(visitor: Guest) -> None:
    """What it brings, with fingers, and the letter is thrown away."""
    toggles(visitor, "More")
    toggles(visitor, "Letters")
    post = visitor.page.locator("#mail")
    post.get_by_role("button", name=f"Read: Bread, from {FOUNDER}").tap()
    assert post.locator(".letter").inner_text() == "Eat it. Soon."
    post.get_by_role("button", name="Take what it brings").tap()
    post.locator(".told", has_text=f"out of the letter of {FOUNDER}").wait_for()
    post.get_by_role("button", name="Throw it away").tap()
    post.locator(".empty", has_text="No letters wait for you.").wait_for()
    visitor.hears("You take 2 bread loaves and 7 gold coins")


def test_a_guild_and_a_parcel_with_panels_on_both_sides(guest: Door) -> None:
    founder, other = guest(), guest(width=390, height=844, touch=True)
    founder.returns(FOUNDERS, FOUNDER)
    other.watches()
    other.page.tap("#panel-handle")
    other.page.tap("#play-now")
    other.fills(MEMBERS, "secret1")
    other.page.tap("#log-in")
    other.enters(MEMBER)
    page, phone = founder.page, other.page
    founds(founder)
    page.focus("#map")
    page.keyboard.press("g")
    panel = page.locator("#guild")
    panel.locator("h2", has_text="Weavers [WV]").wait_for()
    # By name; the other answers, and both see one another in the panel.
    panel.get_by_label("Name of whom to ask").fill(MEMBER.lower())
    page.keyboard.press("Enter")
    panel.locator(".told", has_text=f"You ask {MEMBER} to join Weavers.").wait_for()
    phone.locator("#dialog").get_by_role("button", name="Yes").tap()
    panel.locator(".members li", has_text=MEMBER).wait_for()
    assert phone.locator("#open-guild").is_hidden(), "there is no room for it"
    toggles(other, "More")
    toggles(other, "Guild")
    theirs = phone.locator("#guild")
    theirs.locator(".members li", has_text=f"{FOUNDER}leader, level 1, Browser").wait_for()
    mine = f"{MEMBER}recruit, level 1, Browser, you"
    theirs.locator(".members li", has_text=mine).wait_for()
    assert theirs.get_by_role("button", name="Ask into the guild").count() == 0, "a recruit may not"
    # What becomes of one is seen on both sides.
    panel.get_by_role("button", name=f"What to do: {MEMBER}").click()
    panel.get_by_role("button", name=f"Promote: {MEMBER}").click()
    theirs.locator(".members li", has_text="member, level 1").wait_for()
    theirs.get_by_role("button", name="Ask into the guild").wait_for()
    panel.get_by_label("A notice for all members").fill("Market day.")
    page.keyboard.press("Enter")
    theirs.locator(".notice", has_text="Market day.").wait_for()
    theirs.get_by_role("button", name="Close").tap()
    page.keyboard.press("Escape")
    writes(founder)
    other.hears(f"A parcel from {FOUNDER} has come for you: Bread.")
    takes(other)
    # The end, which is asked twice.
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    panel.get_by_role("button", name="Disband the guild").click()
    page.locator("dialog.question").get_by_role("button", name="Disband it").click()
    panel.wait_for(state="hidden")
    other.hears("Weavers is no more.")


def test_a_friend_comes_and_goes_and_somebody_is_reported(guest: Door, host: Host, company: Company) -> None:
    visitor = guest()
    page, friend = visitor.watches(), company.invite("uo")
    visitor.tries()
    visitor.knows(friend.name)
    # The other button of the mouse has all that can be done with somebody.
    number = visitor.ask(f"name => ({FIND}).id", int, friend.name)
    visitor.looks()
    spot = visitor.ask(POINT, list, number)
    page.mouse.click(*spot, button="right")
    card = page.locator("#card")
    card.locator("h2", has_text=friend.name).wait_for()
    offered = card.locator(".buttons").get_by_role("button").all_inner_texts()
    known = ["Tell", "Follow", "Trade", "Give", "Invite to party", "Add friend", "Ignore", "Duel", "Face"]
    assert offered == [*known, "Attack", "Report"]
    card.get_by_role("button", name="Add friend").click()
    visitor.hears(f"{friend.name} is a friend of yours now.")
    page.focus("#map")
    page.keyboard.press("b")
    friends = page.locator("#friends")
    friends.locator("li", has_text=f"{friend.name}here: Ultima Online").wait_for()
    friend.leaves()
    friends.locator("li[data-away]", has_text=f"{friend.name}away").wait_for()
    visitor.hears(f"Your friend {friend.name} has left.")
    friends.get_by_label("Name of somebody").fill("Nobody at all")
    page.keyboard.press("Enter")
    friends.locator(".told", has_text="There is nobody of that name.").wait_for()
    # To the staff, with what was said.
    again = company.invite("co")
    again.says("You smell")
    visitor.hears(f"{again.name}: You smell")
    visitor.says(f"/look {again.name}")
    card.get_by_role("button", name="Report").click()
    report = page.locator("#report")
    report.get_by_label("What is wrong?").fill("It is rude.")
    report.get_by_role("button", name="Send the report").click()
    report.locator(".told", has_text="they will read it").wait_for()
    assert again.name in host.order("reports")
