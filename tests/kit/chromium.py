"""A real browser: Debian's Chromium, without a screen, driven by Playwright.

    with chromium.running() as browser, Window(browser, "http://127.0.0.1:8080") as window:
        window.open()
        window.page.click("#play-button")

What a page must never do is collected while it does it: errors, complaints of the browser (its content
security policy among them), requests to anybody but the server. `Window` fails with all of it when it is
closed.

Playwright's calls block, and it keeps an event loop in the thread that it was started in: nothing that runs
on Trio may share that thread while a browser runs.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, TypeVar

import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import TimeoutError as Late

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Literal, Self

    from playwright.sync_api import ConsoleMessage, Page, Request, Response, WebError, WebSocket

T = TypeVar("T")

PROGRAMS: Final = ("chromium", "chromium-browser")

FLAGS: Final = (
    "--no-sandbox",  # it has none to offer to root, and sees this server only
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--font-render-hinting=none",
    # Nothing but this machine exists.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

FRAMES: Final = """(() => {
    const [next, later, never] = [requestAnimationFrame, setTimeout, clearTimeout];
    window.requestAnimationFrame = draw => later(() => next(draw), 50);
    window.cancelAnimationFrame = never;
})();"""
"""A picture twenty times a second, not sixty: without a graphics card they are most of what a page costs."""

PATIENCE: Final = 30_000
"""Milliseconds that something may take on a busy machine."""


def program() -> str | None:
    """Where Chromium is; None if it is not installed."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def wanted() -> str:
    """Where Chromium is. Without it a test is skipped, but fails in CI, where it was to be installed."""
    found = program()
    if found is None:
        why = f"no Chromium: none of {', '.join(PROGRAMS)} is in PATH"
        if os.environ.get("CI", "").lower() in {"1", "true"}:
            pytest.fail(why)
        pytest.skip(why)
    return found


@contextmanager
def running() -> Iterator[Browser]:
    """A browser with a new, empty profile."""
    path = wanted()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """Somebody's browser: cookies and storage of its own, and a page."""

    def __init__(
        self,
        browser: Browser,
        base: str,
        *,
        width: int = 1280,
        height: int = 800,
        colours: Literal["light", "dark"] = "light",
        touch: bool = False,
        calm: bool = False,
        scale: float = 1,
    ) -> None:
        """`base` is the server's address, without a slash at its end. `touch`: fingers instead of a mouse;
        `calm`: whoever sits there wants no motion; `scale`: pixels of the screen for one of the page."""
        self.base = base
        self.touch = touch
        self.context = browser.new_context(
            base_url=base,
            viewport={"width": width, "height": height},
            color_scheme=colours,
            reduced_motion="reduce" if calm else "no-preference",
            has_touch=touch,
            is_mobile=touch,
            device_scale_factor=scale,
            locale="en-GB",
            timezone_id="UTC",
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(FRAMES)
        self.requests: list[str] = []
        """Addresses of all that was asked for."""
        self._faults: list[str] = []
        self._excused: list[re.Pattern[str]] = []
        self.context.on("weberror", self._failed)
        self.context.on("console", self._told)
        self.context.on("request", self._asked)
        self.context.on("response", self._answered)
        self.page: Page = self.context.new_page()
        self.page.on("websocket", self._connected)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        faults = self.faults()
        self.context.close()
        assert kind is not None or not faults, "\n".join(faults)

    def faults(self) -> list[str]:
        """What it must not have done so far."""
        return [it for it in self._faults if not any(pattern.search(it) for pattern in self._excused)]

    def excuse(self, pattern: str) -> None:
        """Faults like this are what the test is about."""
        self._excused.append(re.compile(pattern))

    def open(self, path: str = "/") -> Page:
        """Go there."""
        self.page.goto(path)
        return self.page

    def ask(self, script: str, kind: type[T], argument: object = None) -> T:
        """What a script of the page says, a value of that kind."""
        value: object = self.page.evaluate(script, argument)
        assert isinstance(value, kind), f"{script} is {value!r}"
        return value

    def until(self, script: str, argument: object = None) -> None:
        """Wait until a script of the page says something true."""
        self.page.wait_for_function(script, arg=argument, polling=30)

    def taps(self, selector: str, script: str) -> None:
        """Tap there until a script of the page says something true: of a finger that a busy machine holds
        down for long the browser makes no click."""
        for _ in range(8):
            self.page.tap(selector)
            with suppress(Late):
                self.page.wait_for_function(script, polling=30, timeout=4_000)
                return
        self.until(script)

    # What it hears

    def _failed(self, error: WebError) -> None:
        self._faults.append(f"error: {error.error.stack or error.error.message}")

    def _told(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"}:
            self._faults.append(f"{message.type} in the console: {message.text} ({message.location['url']})")

    def _asked(self, request: Request) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((f"{self.base}/", "data:", "blob:")):
            self._faults.append(f"asks somebody else: {request.url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 500:
            self._faults.append(f"{response.status} from {response.url}")

    def _connected(self, socket: WebSocket) -> None:
        if not socket.url.startswith(f"{self.base.replace('http', 'ws', 1)}/"):
            self._faults.append(f"connects to somebody else: {socket.url}")
