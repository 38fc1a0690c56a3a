"""Numbers of the rules, which a designer changes in data/rules.toml. The defaults are those of PLAY."""

from __future__ import annotations

import attrs


@attrs.frozen
class CombatRule:
    """Numbers of a blow; skills are points, 0..100. See `world.rules.combat`."""

    hit_factor: float = 0.7
    skill_offset: float = 20.0
    least_chance: float = 0.2
    most_chance: float = 0.95
    parry_divisor: float = 300.0
    """A shield blocks parry skill / this of the blows that would hit."""
    strength_bonus: float = 0.003
    tactics_bonus: float = 0.006
    armour_divisor: float = 100.0
    side_factor: float = 1.1
    behind_factor: float = 1.2
    critical_chance: float = 0.05
    critical_factor: float = 1.5
    dexterity_divisor: float = 300.0
    most_haste: float = 0.4
    """The greatest part by which dexterity shortens the time between two blows."""
    quickest_ms: int = 1000
    slowest_ms: int = 4000
    tired_factor: float = 2.0
    """Without stamina, blows take so many times as long."""
    blow_stamina: int = 1
    """Stamina of one blow."""
    running_tiles: int = 10
    """Tiles that one runs for a point of stamina."""
    fist_least: int = 2
    fist_most: int = 5
    fist_ms: int = 1500


@attrs.frozen
class GrowthRule:
    """Numbers of levels, experience and skills. See `world.rules.growth`."""

    curve: float = 133.1
    """Level L takes curve * L**3 experience: Endless Online's own."""
    highest_level: int = 60
    points_per_level: int = 3
    kill_base: float = 90.0
    kill_exponent: float = 0.7
    step: float = 0.1
    """A kill gives so much more or less for each level that the creature is above or below."""
    least_factor: float = 0.1
    most_factor: float = 1.2
    party_bonus: float = 0.1
    party_tiles: int = 20
    death_part: float = 0.04
    """Part of the experience from this level to the next that a death costs."""
    cap_least: float = 35.0
    cap_gain: float = 65.0
    """Skills rise to cap_least + cap_gain * L / highest_level points, at most 100."""
    gain_chance: float = 0.25
    gain_least: float = 0.01
    near: float = 25.0
    """A use teaches if the difficulty, in points, is at most so far from the skill."""


@attrs.frozen
class LawRule:
    """Numbers of crime and death. See `world.law` and `world.corpses`."""

    criminal_seconds: float = 120.0
    murders: int = 5
    """Killings of innocents that make a murderer."""
    protected_below: int = 5
    """Nobody below this level is attacked by players, unless it attacked one."""
    corpse_seconds: float = 180.0
    ground_seconds: float = 600.0
    """What was dropped lies so long."""
    rights_seconds: float = 60.0
    """So long only those with a right to it may loot a corpse."""
    drops: str = "pack"
    """What a dead player's corpse takes of it: "keep" nothing, "pack", "all"."""


@attrs.frozen
class ConductRule:
    """Place where staff jails somebody, and words that are not said: `world.conduct`, `world.speech`."""

    jail_realm: str = ""
    """Key of the realm; empty: there is no jail."""
    jail_x: int = 0
    jail_y: int = 0
    jail_tiles: int = 2
    """So far one may go from that tile."""
    filtered: tuple[str, ...] = ()
    """Words of which others read as many asterisks."""


@attrs.frozen
class PoisonRule:
    """Numbers of poison. See `world.ailments`."""

    seconds: float = 3.0
    """Between two times at which it takes hits."""
    times: int = 8
    chance: float = 0.3
    """Chance that a blow of a creature with venom poisons whom it hits."""


@attrs.frozen
class HealingRule:
    """Numbers of bandages; skills are points, 0..100. See `world.rules.healing`."""

    slowest_seconds: float = 8.0
    quickest_seconds: float = 3.0
    dexterity_divisor: float = 20.0
    """Points of dexterity that make it a second quicker."""
    least_chance: float = 0.5
    chance_divisor: float = 200.0
    """Skill / this is added to the least chance that wounds close."""
    cure_divisor: float = 80.0
    """Skill / this is the chance that poison is washed out."""
    healing_hits: float = 0.3
    """Hits that a point of healing gives back, and one of anatomy."""
    anatomy_hits: float = 0.15
    spread: float = 0.2
    raising_skill: float = 80.0
    """Points of healing and of anatomy that it takes to raise the dead."""
    raising_chance: float = 0.5
    raising_divisor: float = 40.0
    """What is above that, / this, is added to the chance."""
