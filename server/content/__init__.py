"""Reads data/: templates, looks and realms, checked whole before a server starts.

`loading.py` reads everything and reports every mistake at once; begin there. `charts.py` reads one realm from
the Tiled editor's format. `export.py` writes realms as the map files of a game, `painting.py` paints them
from above, `reference.py` prints what the program knows of its own protocols.
"""
