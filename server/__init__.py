"""The server around the world: sockets, tasks, disk, configuration, operators. A room for each of these."""
