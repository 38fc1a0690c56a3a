"""Worlds that share their players: what this one has, and what passes between it and the others.

`claims.py` is who may have a character in memory, and how it passes on; `parcels.py` is how things do. Both
stand on rows of PostgreSQL (`server.store.ownership`, `server.store.traffic`), and on nothing else.
"""
