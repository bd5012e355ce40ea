"""A real browser for the tests of pages: headless Chromium, spoken to over a pipe.

Nothing but the standard library: the DevTools protocol is JSON messages ended by NUL, which
Chromium reads from file descriptor 3 and writes to 4.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

__all__ = ["Browser", "Exchange", "Seen", "chromium", "open_browser"]

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_PATIENCE = 60.0


def chromium() -> str | None:
    """The path of a Chromium, None where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


_MODIFIERS = {"Alt": 1, "Control": 2, "Shift": 8}
_KEYS = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    "ArrowRight": (39, ""),
    " ": (32, " "),
}


class Seen:
    """What the browser reported while a page was loaded."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []


class Exchange:
    """A request with all that came back: address, headers, bodies."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.sent = ""
        self.headers = ""
        self.body = ""

    def text(self) -> str:
        """All of it, to be searched."""
        return "\n".join((self.url, self.sent, self.headers, self.body))


class Browser:
    """One page at a time: `load` it, then ask it or photograph it."""

    def __init__(self, process: subprocess.Popen[bytes], write: int, read: int) -> None:
        self._process, self._write, self._read = process, write, read
        self._rest = b""
        self._id = 0
        self._session: str | None = None
        self._scripts = True
        self._seen = Seen()
        self._loaded: set[str] = set()
        self._loader = ""
        self._exchanges: dict[str, Exchange] = {}
        self._finished: list[str] = []
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        found = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")
        self._ask("Page.setLifecycleEventsEnabled", enabled=True)

    def load(
        self, path: Path, *, width: int = 1280, scheme: Literal["light", "dark"] = "light"
    ) -> Seen:
        """Open a file and return what was reported until it had loaded."""
        return self.visit(path.resolve().as_uri(), width=width, scheme=scheme)

    def visit(
        self,
        url: str,
        *,
        width: int = 1280,
        height: int = 900,
        scheme: Literal["light", "dark"] = "light",
    ) -> Seen:
        """Open an address and return what was reported until it had loaded, and what still is."""
        self.keep_bodies()
        self.see(width=width, height=height, scheme=scheme)
        self._seen = Seen()
        self._loaded, before = set(), self._loader
        asked = self._ask("Page.navigate", url=url)
        until = time.monotonic() + _PATIENCE
        # its own load or that of a page it leads on to, not one of the page before, which may still
        # come in
        while "loaderId" in asked and self._loaded <= {before}:
            self._take(until)
        with contextlib.suppress(AssertionError):  # a page that leads on is gone by now
            self._settle()
        return self._seen

    def see(self, *, width: int, height: int = 900, scheme: Literal["light", "dark"]) -> None:
        """Look at the page in a window of this size, by this light."""
        self._ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        media = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", features=media)
        with contextlib.suppress(AssertionError):  # as above
            self._settle()

    def allow_scripts(self, allowed: bool) -> None:
        """Whether pages opened from now on may run their scripts."""
        self._ask("Emulation.setScriptExecutionDisabled", value=not allowed)
        self._scripts = allowed

    def _settle(self) -> None:
        """Wait for two frames: what a style sheet asks of the layout holds from the next on."""
        if not self._scripts:
            return  # a page without scripts counts no frames
        frames = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))"
        self._ask("Runtime.evaluate", expression=frames, awaitPromise=True)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, as JSON."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def wait(self, expression: str, seconds: float = 30.0) -> Any:
        """Ask until the answer is true of a page that is whole, and give it.

        A page may be loaded anew meanwhile: its address is there before its text is.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                self.keep_bodies()
                found = self.ask(f"document.readyState === 'complete' && ({expression})")
            except AssertionError:
                found = None
            if found:
                return found
            if time.monotonic() > until:
                shown = self.ask("document.body.innerText.slice(-1500)")
                raise AssertionError(f"never so: {expression}\n{shown}")
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click with the mouse on the middle of the first element that is shown."""
        self.wait("document.readyState === 'complete'")  # before, a style sheet may move it
        x, y = self.ask(
            f"(() => {{ const e = [...document.querySelectorAll({json.dumps(selector)})]"
            ".find(e => e.checkVisibility()); e.scrollIntoView({block: 'nearest'});"
            " const b = e.getBoundingClientRect();"
            " return [b.left + b.width / 2, b.top + b.height / 2]; })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            clicks = 0 if kind == "mouseMoved" else 1
            self._ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=clicks
            )

    def type(self, text: str) -> None:
        """Put text where the focus is, as a keyboard would."""
        self.wait("document.readyState === 'complete'")
        self._ask("Input.insertText", text=text)

    def key(self, keys: str) -> None:
        """Press a key, with others held: ``Enter``, ``Shift+Enter``, ``Alt+t``, ``?``."""
        *held, key = keys.split("+")
        modifiers = sum(_MODIFIERS[each] for each in held)
        number, text = _KEYS.get(key, (ord(key[0].upper()), key))
        code = f"Key{key.upper()}" if len(key) == 1 and key.isalpha() else key
        text = "" if modifiers & ~8 else text
        for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                modifiers=modifiers,
                windowsVirtualKeyCode=number,
                **({"text": text} if kind == "keyDown" else {}),
            )

    def access_key(self, key: str) -> None:
        """Press an access key as it is pressed here, with Alt held."""
        number, code = ord(key.upper()), f"Key{key.upper()}"
        for kind, text in (("rawKeyDown", {}), ("char", {"text": key}), ("keyUp", {})):
            self._ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                modifiers=1,
                windowsVirtualKeyCode=number,
                unmodifiedText=key,
                **text,
            )

    def exchanges(self) -> list[Exchange]:
        """All requests since the browser was opened; see `keep_bodies`."""
        self.keep_bodies()
        return list(self._exchanges.values())

    def keep_bodies(self) -> None:
        """Get the bodies of answers from the browser, which forgets them with the page."""
        for number in list(self._finished):
            self._finished.remove(number)
            with contextlib.suppress(AssertionError):
                got = self._ask("Network.getResponseBody", requestId=number)
                body = (
                    base64.b64decode(got["body"]).decode() if got["base64Encoded"] else got["body"]
                )
                self._exchanges[number].body += body

    def press(self, key: str, code: int) -> None:
        """Press and release one key."""
        for kind in ("rawKeyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    def photograph(self, path: Path, *, whole: bool = True) -> None:
        """Save the whole page as a PNG, or what of it is in the window."""
        data = self._ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._id += 1
        message: dict[str, Any] = {"id": self._id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + _PATIENCE
        while True:
            answer = self._take(until)
            if answer.get("id") == self._id:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    def _take(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise AssertionError("the browser does not answer")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        params: dict[str, Any] = message.get("params", {})
        match message.get("method"):
            case "Page.frameNavigated" if "parentId" not in params["frame"]:
                self._loader = params["frame"]["loaderId"]
            case "Page.lifecycleEvent" if params["name"] == "load":
                self._loaded.add(params["loaderId"])
            case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled":
                self._seen.complaints.append(json.dumps(params)[:500])
            case "Log.entryAdded":
                self._seen.complaints.append(params["entry"]["text"])
            case "Network.requestWillBeSent":
                request = params["request"]
                self._seen.requests.append(request["url"])
                exchange = self._exchanges.setdefault(params["requestId"], Exchange(request["url"]))
                exchange.sent += json.dumps(request)
            case "Network.responseReceived":
                exchange = self._exchanges.setdefault(
                    params["requestId"], Exchange(params["response"]["url"])
                )
                exchange.headers += json.dumps(params["response"]["headers"])
            case "Network.loadingFinished":
                if params["requestId"] in self._exchanges:
                    self._finished.append(params["requestId"])
            case _:
                pass


@contextmanager
def open_browser(path: str) -> Generator[Browser]:
    """A browser with an empty profile of its own, ended with the block."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # the shell gives the two ends the numbers that the protocol wants
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}'
        process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                command,
                path,
                *_FLAGS,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            pass_fds=(to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            yield Browser(process, to_write, from_read)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            os.close(to_write)
            os.close(from_read)
