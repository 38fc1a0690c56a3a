"""Pictures of realms, drawn from their tiles.

`painter.py` makes a chunk of a realm; `sprites.py` knows what is drawn how, with the functions of `plants.py`
`furniture.py` `buildings.py` `grounds.py`, each of which moves a `brush.py`. What becomes of a picture is the
business of `server.web.realms`: nothing here reads or writes a file, and a picture depends on nothing but its
tiles and the sources of this folder.
"""
