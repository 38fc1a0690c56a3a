"""Rules of play as pure functions: numbers in, numbers out, chance as an argument.

`numbers` holds the designer's numbers (`data/rules.toml`), `combat` a blow, `growth` levels, experience and
skills, `creatures` what a creature of a level is like. None of them knows a mobile, so that a fight of a
thousand blows is a loop in a test. What changes the world by them stands beside this package:
`world.fighting`, `world.learning`, `world.life`. Begin with `combat`.
"""
