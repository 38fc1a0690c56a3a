"""Tools that keep a server well, and look after it from outside.

`admin.py` is the channel to a running server and the table of orders; begin there. `desk.py` serves it in a
thread of its own, and `place.py` tells where the world's stands. `check.py` finds what would go wrong before
a start, `offline.py` and `restore.py` work on a server that is stopped, `watchdog.py` ends one that stands
still and `crash.py` writes down why.
"""
