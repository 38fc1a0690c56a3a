"""Edges: processes that hold the sockets and codecs of clients whose sessions are in a world's process.

    client <-> codec | edge.py  <-- one stream, one message each turn -->  port.py | session, handlers, views

The cut lies where bytes become frames. An edge receives, deciphers and cuts into frames, and enciphers,
compresses and sends what a turn had to say; everything else (decoding, handlers, rules, views) is the
world's. So a world spends nothing on ciphers, compression and system calls, and a socket stays where it is
when another world takes its player over: four of the five games cannot send a playing client elsewhere.

`words.py` is what the two say to each other, `line.py` the stream, `twin.py` the world's half of a codec,
`port.py` the world's end and `edge.py` the edge's, with `intake.py` for what clients say.
"""
