"""Reads data/: templates, looks and realms, checked whole before a server starts.

`loading.py` reads everything and reports every mistake at once; begin there. `charts.py` reads one realm from
the Tiled editor's format. `export.py` has realms written as the map files of a game, `reference.py` prints
what the program knows of its own protocols.
"""
