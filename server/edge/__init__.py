"""Edges: processes that hold the sockets and codecs of clients whose sessions are in a world's process.

    client <-> codec | worlds.py <-- one stream, one batch each turn --> port.py | session, handlers, views

The cut lies where bytes become frames. An edge receives, deciphers and cuts into frames, and enciphers,
compresses and sends what a turn had to say; everything else (decoding, handlers, rules, views) is the
world's. So a world spends nothing on ciphers, compression and system calls, and a socket stays where it is
when another world takes its player over: four of the five games cannot send a playing client elsewhere.

`words.py` is what the two say to each other, `line.py` the stream. `port.py` is the world's end, `remote.py`
one client there, `twin.py` its half of a codec. `worlds.py` is the edge's end, `clients.py` and `intake.py`
what it has in place of a world's sessions, loop and intake. `display.py` is what a world shows to the page of
an edge, `farmap.py` the live map there.
"""
