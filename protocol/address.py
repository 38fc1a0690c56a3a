"""The addresses of a configuration: where to listen, and what to tell clients."""

import ipaddress
import re

import attrs

_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")


def is_ipv4(host: str) -> bool:
    """Whether it is an IPv4 address and no name."""
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return False
    return True


def _host(text: str) -> str:
    """An IPv4 address or a host name, as given. A name that ends in a number is a mistyped address."""
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        if not _NAME.fullmatch(text) or text.rpartition(".")[2].isdigit():
            raise ValueError(f"{text!r} is neither an IPv4 address nor a host name") from None
        return text


def _port(text: str, low: int) -> int:
    if not (text.isascii() and text.isdigit() and low <= int(text[:6]) <= 65535):
        raise ValueError(f"the port must be a number from {low} to 65535, not {text!r}")
    return int(text)


@attrs.frozen
class Address:
    """Address at which a listener binds: host and port. Port 0 lets the system choose one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read "host:port" or "[IPv6]:port". Raises ValueError for anything else."""
        host, colon, port = text.rpartition(":")
        if not colon or not host:
            raise ValueError(f'must be "host:port", not {text!r}')
        if host.startswith("[") and host.endswith("]"):
            try:
                return cls(str(ipaddress.IPv6Address(host[1:-1])), _port(port, 0))
            except ipaddress.AddressValueError:
                raise ValueError(f"{host!r} is not an IPv6 address") from None
        if ":" in host:
            raise ValueError(f'an IPv6 address goes into brackets, "[::1]:2593", not {text!r}')
        return cls(_host(host), _port(port, 0))

    @property
    def is_ipv6(self) -> bool:
        return ":" in self.host

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if self.is_ipv6 else f"{self.host}:{self.port}"


@attrs.frozen
class Advertise:
    """Address to which clients connect next: IPv4 or a name, because these clients know no IPv6."""

    host: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Advertise":
        """Read "host" or "host:port". Raises ValueError for anything else."""
        if "[" in text or text.count(":") > 1:
            raise ValueError(f"must be an IPv4 address or a name, the clients know no IPv6: {text!r}")
        host, colon, port = text.partition(":")
        return cls(_host(host), _port(port, 1) if colon else None)

    def __str__(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"
