"""Test clients by the hundred, and what they measure.

Bots play the original clients' part over real sockets: they log in, walk, turn and talk. `bot` says what a
bot of any game can do, `uo`, `eo`, `eq2` and `l2` are the games, `games` is the table that a further game
joins with one row; `swarm` runs many of them in one loop. `serve` is a server on a generated plain (`plain`),
`process` starts it and reads it from outside, `floor` is its counterpart in C, `bench` measures both, and
`cells` holds what it found.
"""
