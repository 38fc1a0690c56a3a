"""Settings of an operator: config.toml, read into frozen classes with every mistake found at once.

`config.py` holds the tables and `load`; begin there. `roles.py` says what one process is of a server in
parts, `l2j_keys.py` what L2J's keys are called here. How a key is declared, addresses, and each game's own
table are below, in `protocol` (`keys.py`, `address.py`, `Game.listener`).
"""
