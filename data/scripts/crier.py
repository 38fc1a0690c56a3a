"""The crier calls the hour: at every full hour of the world's day, where anybody can hear it.

A script adds what the tables of data/ have no words for; docs/content.md says how to write one.
"""

from world import daytime, speech
from world.scripting import command, every

NUMBERS = ("twelve", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")


@every(2)
def call_the_hour(world):
    """Once for each hour; nobody is told of the hour in which the server, or this script, began."""
    hour = daytime.daytime(world).hour
    before = world.scripts.memory.get("crier: hour", hour)
    world.scripts.memory["crier: hour"] = hour
    if before == hour:
        return
    for mobile in list(world.mobiles.values()):
        if mobile.has_role("crier") and mobile.realm is not None:
            speech.say(mobile, f"{NUMBERS[hour % 12].capitalize()} o'clock, and all is well!")


@command("hour", about="tells what time it is in the world")
def tell_the_hour(mobile, _):
    """For whoever missed the crier."""
    now = daytime.daytime(mobile.world)
    speech.notice(mobile, f"It is {now.hour}:{now.minute:02d}.")
