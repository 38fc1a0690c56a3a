"""A browser and a server for all tests in here, and whoever comes to see it.

Browser and server end with the folder: Playwright keeps an event loop in the thread of the tests, which is no
place for the tests that run on Trio.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.browser.guests import Company, Guest, Host
from tests.browser.settlers import keepers
from tests.kit import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    from playwright.sync_api import Browser


class Door(Protocol):
    """Lets somebody in who has a browser."""

    def __call__(
        self,
        base: str = "",
        *,
        width: int = 1280,
        height: int = 800,
        colours: Literal["light", "dark"] = "light",
        touch: bool = False,
        calm: bool = False,
    ) -> Guest:
        """See `tests.kit.chromium.Window`; `base` is the server's own page if it is left out."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all; each guest has cookies and storage of their own."""
    with chromium.running() as browser:
        yield browser


@pytest.fixture(scope="package")
def host(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """One server for all; each test brings names of its own."""
    host = Host(tmp_path_factory.mktemp("host"))
    keepers(host.state)
    host.start()
    yield host
    host.close()


@pytest.fixture
def guest(browser: Browser, host: Host) -> Iterator[Door]:
    """Guests who have done nothing wrong when the test is over."""
    with ExitStack() as guests:

        def enter(
            base: str = "",
            *,
            width: int = 1280,
            height: int = 800,
            colours: Literal["light", "dark"] = "light",
            touch: bool = False,
            calm: bool = False,
        ) -> Guest:
            made = Guest(
                browser,
                base or host.page(),
                width=width,
                height=height,
                colours=colours,
                touch=touch,
                calm=calm,
            )
            return guests.enter_context(made)

        yield enter


@pytest.fixture
def company(host: Host) -> Iterator[Company]:
    """People with clients of other games."""
    company = Company(host.addresses())
    yield company
    company.close()
