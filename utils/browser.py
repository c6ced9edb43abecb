"""Drive a Chromium without a window, as a person would: click, type, scroll, read.

It speaks the DevTools protocol over a pipe, which needs nothing but Python. Pages
cannot load anything from elsewhere than files.

  with Browser() as browser:
      page = browser.open("map.html", width=1200, height=900)
      page.click("#next")
      print(page.text("#found"))
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
# Windows virtual key codes, which Chromium wants for keys that are not text.
KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "End": 35,
    "Enter": 13,
    "Escape": 27,
    "Home": 36,
    "PageDown": 34,
    "PageUp": 33,
    "Tab": 9,
}
TIMEOUT = 60


class Failure(Exception):
    """The browser, or a script of the page, failed."""


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A process of Chromium with an empty profile."""

    def __init__(self, flags=()):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # Chromium reads descriptor 3 and writes descriptor 4. The pipe may have
            # these numbers in another order.
            source, sink = os.dup(to_browser), os.dup(from_browser)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        self.process = subprocess.Popen(
            [find_chromium(), *FLAGS, f"--user-data-dir={self.profile.name}", *flags],
            preexec_fn=connect,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.last = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        self.profile.cleanup()

    def receive(self, deadline):
        """Return the next message."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise Failure("the browser does not answer")
            data = os.read(self.input, 1 << 20)
            if not data:
                raise Failure("the browser has ended")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """Call a method of the protocol, and return its result."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data) :]
        deadline = time.monotonic() + TIMEOUT
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.last:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise Failure(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def wait_for(self, method, session):
        """Wait for an event, and return its parameters."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            for event in self.events:
                if event.get("method") == method and event.get("sessionId") == session:
                    self.events.remove(event)
                    return event["params"]
            self.events.append(self.receive(deadline))

    def open(self, path, **options):
        return Page(self, path, **options)


class Page:
    """A tab that shows one file."""

    def __init__(
        self, browser, path, width=1200, height=900, dark=False, fragment="", touch=False
    ):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ["Page", "Runtime", "Log"]:
            self.call(f"{domain}.enable")
        self.resize(width, height, touch)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.url = Path(path).resolve().as_uri()
        self.go(fragment)

    def call(self, method, **parameters):
        return self.browser.call(method, session=self.session, **parameters)

    def go(self, fragment=""):
        """Load the file anew."""
        self.call("Page.navigate", url="about:blank")
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.call("Page.navigate", url=self.url + fragment)
        self.browser.wait_for("Page.loadEventFired", self.session)
        self.settle()

    def resize(self, width, height, touch=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2)

    def evaluate(self, expression):
        """Return the value of an expression of JavaScript, or of its promise."""
        result = self.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            text = details.get("exception", {}).get("description", details["text"])
            raise Failure(f"{text} in {expression}")
        return result["result"].get("value")

    def settle(self, milliseconds=260):
        """Wait until what was delayed is done, and a frame is drawn."""
        self.evaluate(
            f"new Promise(done => setTimeout(() => requestAnimationFrame(() =>"
            f" requestAnimationFrame(done)), {milliseconds}))"
        )

    def errors(self):
        """Return what the console says is wrong, and clear it."""
        self.settle(0)
        found, rest = [], []
        for event in self.browser.events:
            method, params = event.get("method"), event.get("params", {})
            if event.get("sessionId") != self.session:
                rest.append(event)
            elif method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(
                    details.get("exception", {}).get("description", details["text"])
                )
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append(params["entry"]["text"])
        self.browser.events = rest
        return found

    def text(self, selector):
        """Return the visible text of an element, on one line."""
        return self.evaluate(
            f"document.querySelector({json.dumps(selector)}).innerText"
            ".replace(/\\s+/g, ' ').trim()"
        )

    def box(self, selector):
        """Return x, y, width and height of an element on the screen."""
        return self.evaluate(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()"
        )

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click_at(self, x, y, count=1):
        for clicks in range(1, count + 1):
            for kind in ["mousePressed", "mouseReleased"]:
                self.mouse(kind, x, y, button="left", clickCount=clicks, buttons=1)
        self.settle()

    def click(self, selector):
        self.evaluate(
            f"document.querySelector({json.dumps(selector)})"
            ".scrollIntoView({block: 'nearest'})"
        )
        x, y, width, height = self.box(selector)
        self.click_at(x + width / 2, y + height / 2)

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.settle(50)

    def drag(self, x0, y0, x1, y1, modifiers=0):
        common = {"button": "left", "buttons": 1, "modifiers": modifiers}
        self.mouse("mousePressed", x0, y0, clickCount=1, **common)
        for i in range(1, 6):
            x, y = x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5
            self.mouse("mouseMoved", x, y, **common)
        self.mouse("mouseReleased", x1, y1, clickCount=1, **common)
        self.settle()

    def wheel(self, x, y, delta, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta, modifiers=modifiers)
        self.settle()

    def touch(self, kind, points):
        """Touch the screen at several points: `touchStart`, `touchMove`, `touchEnd`."""
        points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def key(self, key, shift=False):
        event = {"key": key, "modifiers": 8 if shift else 0}
        if key in KEYS:
            event["windowsVirtualKeyCode"] = KEYS[key]
            event["code"] = key
        else:
            event["text"] = key
        if key == "Enter":
            event["text"] = "\r"
        kind = "keyDown" if "text" in event else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, **event)
        event.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def accessibility(self):
        """Return the nodes of the accessibility tree that are not ignored."""
        self.call("Accessibility.enable")
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node for node in nodes if not node.get("ignored")]

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))


if __name__ == "__main__":
    sys.exit(__doc__)
