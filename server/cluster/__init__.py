"""Worlds that share their players: what this one has, and what passes between it and the others.

`claims.py` is who may have a character in memory, and how it passes on; `parcels.py` is how things do. Both
stand on rows of PostgreSQL (`server.store.ownership`, `server.store.traffic`), and on nothing else.

What is said and who is there passes over Valkey: start with `relay.py`, which stands between the world and
the bus; `messages.py` is all that is ever said, `presence.py` who is where, `bus.py` the line on which it is
said, `valkey.py` that line as Valkey (or Redis) has it.
"""
