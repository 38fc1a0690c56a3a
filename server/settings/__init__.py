"""What an operator may set: config.toml, read into frozen classes with every mistake found at once.

`config.py` holds the tables and `load`; begin there. `keys.py` declares a key with its default and its rules,
`listeners.py` has a table for each game's doors, `roles.py` what one process is of a server in parts,
`address.py` addresses as they are written, `l2j_keys.py` what L2J's keys are called here.
"""
