"""The web page: a live map of the world, how to connect, and a client that runs in a browser.

Hypercorn speaks HTTP and WebSocket, Starlette finds the right function, and all of it runs in the server's
own nursery. Whatever goes wrong here is no business of the world.
"""
