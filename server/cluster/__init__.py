"""Worlds that share their players: what this one tells the others of the same server, and hears of them.

Start with `relay.py`, which stands between the world and the bus; `messages.py` is all that is ever said,
`bus.py` the line on which it is said, `valkey.py` that line as Valkey (or Redis) has it.
"""
