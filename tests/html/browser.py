"""A headless Chromium, driven over a pipe (its DevTools protocol), with the standard library alone."""
import atexit
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]


def find():
    """The browser's program, or None."""
    wanted = [os.environ["DEEPPROF_CHROMIUM"]] if "DEEPPROF_CHROMIUM" in os.environ else NAMES
    return next((path for path in map(shutil.which, wanted) if path), None)


class Program:
    """The browser process that all pages share; it runs until the tests end."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.number = 0
        self.waiting = b""
        to_read, self.to = os.pipe()
        self.come, from_write = os.pipe()
        # The browser reads file 3 and writes file 4.
        script = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", script, find(), "--headless=new", "--remote-debugging-pipe",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             "--force-color-profile=srgb", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_read, from_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        atexit.register(self.close)

    def close(self):
        try:
            self.send({"method": "Browser.close"})
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.come)
        self.profile.cleanup()

    def send(self, message):
        """Sends a message; returns its number, which the answer repeats."""
        self.number += 1
        os.write(self.to, json.dumps({"id": self.number, **message}).encode() + b"\0")
        return self.number

    def message(self, seconds):
        """The next one, or None."""
        end = time.monotonic() + seconds
        while b"\0" not in self.waiting:
            ready, _, _ = select.select([self.come], [], [], max(0, end - time.monotonic()))
            data = os.read(self.come, 1 << 20) if ready else b""
            if not data:
                return None
            self.waiting += data
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)


class Browser:
    """One page, with cookies and storage of its own, in a program that all share: it starts slowly.
    Errors and what is written to the console are kept in self.complaints."""

    program = None

    def __init__(self, width=1280, height=900, dark=False):
        self.complaints = []
        self.session = None
        if Browser.program is None or Browser.program.process.poll() is not None:
            Browser.program = Program()
        self.context = self.call("Target.createBrowserContext", session=None)["browserContextId"]
        target = self.call("Target.createTarget", session=None, url="about:blank", width=width,
                           height=height, browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", session=None, targetId=target,
                                 flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.theme("dark" if dark else "light")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.call("Target.disposeBrowserContext", session=None, browserContextId=self.context)
        except (OSError, RuntimeError):
            pass  # the failure that matters is the test's

    def note(self, message):
        """What a page should not do."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description")
                                   or params["exceptionDetails"]["text"])
        elif message.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str(params["args"]))
        elif message.get("method") == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif message.get("method") == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.complaints.append("loads " + url)

    def call(self, method, session="", **params):
        message = {"method": method, "params": params}
        if session is not None:
            message["sessionId"] = self.session
        number = self.program.send(message)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            answer = self.program.message(end - time.monotonic())
            if answer is None:
                break
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("sessionId", "") == self.session:
                self.note(answer)
        raise RuntimeError(f"{method}: no answer")

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path):
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self.run("document.readyState") == "complete" and self.run("location.href") != "about:blank":
                return
            time.sleep(0.05)
        raise RuntimeError("the page does not load")

    def run(self, script):
        """The value of an expression."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def box(self, selector):
        """Where an element is, scrolled into view: left, top, width, height."""
        return self.run(f"""(() => {{
            const node = document.querySelector({json.dumps(selector)});
            node.scrollIntoView({{ block: "center", behavior: "instant" }});
            const box = node.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()""")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, selector, start, end):
        """From one share of an element's width to another."""
        left, top, width, height = self.box(selector)
        y = top + height / 2
        self.mouse("mouseMoved", left + width * start, y)
        self.mouse("mousePressed", left + width * start, y, button="left", clickCount=1)
        for i in range(1, 5):
            self.mouse("mouseMoved", left + width * (start + (end - start) * i / 4), y,
                       button="left", buttons=1)
        self.mouse("mouseReleased", left + width * end, y, button="left", clickCount=1)

    def hover(self, selector, x=0.5, y=0.5):
        left, top, width, height = self.box(selector)
        self.mouse("mouseMoved", left + width * x, top + height * y)
        time.sleep(0.15)

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, path, whole=True):
        self.run("scrollTo(0, 0)")
        time.sleep(0.2)
        result = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True,
                           captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(result["data"]))

    def pdf(self, path):
        result = self.call("Page.printToPDF", printBackground=False, paperWidth=8.27,
                           paperHeight=11.69)
        pathlib.Path(path).write_bytes(base64.b64decode(result["data"]))
