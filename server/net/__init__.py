"""Sockets and what is one client's: from accepting a connection to its one ending.

`gateway.py` opens the doors and lets in; begin with `connection.py`, the reader and the only function that
sends. `stream_connection.py` and `datagram_connection.py` are the two kinds, `datagrams.py` one UDP socket
with many peers, `deadlines.py` wakes their codecs. `transport.py` is all that knows the socket's own calls;
`tracing.py` writes down what comes and goes. Nothing here knows a game.
"""
