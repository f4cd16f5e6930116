"""A server of the Model Context Protocol on standard input and output: ``deepprof mcp``. It needs
the package's extra ``mcp``."""
import argparse
import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import deepprof

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

def analyze(path: str, iterations: "int | None" = None, marks: "str | None" = None) -> str:
    """Finds the iterations of a GPU trace and what the GPU waited for.

    Returns JSON of at most 20 KB: loops (periods, where the time went, kernels, host ranges) and
    findings with their cost per iteration and one action each. Times are nanoseconds.

    path: a trace of PyTorch, Nsight Systems, nvprof, rocprofv3, XPlane or deepprof.
    iterations: how many there are, if that is known. marks: a regular expression for annotations
    that are iterations.
    """
    with deepprof.analyze(path, iterations=iterations, marks=marks) as analysis:
        return str(analysis.report("json", brief=True))


def explain(path: str) -> str:
    """Explains how the iterations of a trace were found, stage by stage, or why none were.

    Returns text, a line for each decision. path: as for analyze.
    """
    with deepprof.analyze(path, explain=True) as analysis:
        streams = json.loads(analysis.report("json"))["streams"]
    lines = [entry["text"] for stream in streams for entry in stream.get("explain", ())]
    return "\n".join(lines)


def compare(before: str, after: str) -> str:
    """Compares two runs of a program, iteration by iteration: what got slower or faster.

    Returns Markdown. A difference is significant if its confidence interval excludes 0. before,
    after: traces as for analyze, or JSON reports that were saved.
    """
    return str(deepprof.compare(before, after).report("markdown"))


def ranks(paths: "list[str]") -> str:
    """Compares the ranks of a distributed job: who holds it up, since when, why, and the cost.

    Returns text. paths: the trace files of the ranks, or folders of them.
    """
    with deepprof.ranks(paths) as result:
        return str(result)


def info(path: str) -> str:
    """What a trace holds, without analyzing it: format, length, and operations of each stream.

    Returns JSON; times are nanoseconds. path: as for analyze.
    """
    import subprocess

    from .record import command

    done = subprocess.run(
        [command(), "info", "--format=json", "--", path],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise deepprof.DeepprofError(done.stderr.strip().removeprefix("deepprof: "))
    return done.stdout


TOOLS = (analyze, explain, compare, ranks, info)


def server() -> "MCPServer":
    """The server, with its tools."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    def reporting(tool: "Callable[..., str]") -> "Callable[..., str]":
        """The tool, whose errors the model reads."""

        @functools.wraps(tool)
        def call(*args: object, **kwargs: object) -> str:
            try:
                return tool(*args, **kwargs)
            except deepprof.DeepprofError as error:
                raise ToolError(str(error)) from error

        return call

    made = MCPServer(
        "deepprof",
        version=deepprof.__version__,
        instructions="Reads GPU traces: what is slow, and what to do.",
    )
    for tool in TOOLS:
        made.tool()(reporting(tool))
    return made


def main(words: "list[str] | None" = None) -> int:
    """Serves until standard input ends."""
    parser = argparse.ArgumentParser(
        prog="deepprof mcp",
        description="Serve the Model Context Protocol on standard input and output, until the input "
        f"ends. Tools: {', '.join(tool.__name__ for tool in TOOLS)}.",
        epilog="This needs the extra mcp of the package: pip install 'deepprof[mcp]'",
    )
    parser.parse_args(words)
    try:
        made = server()
    except ImportError:
        parser.error("there is no MCP library 2.0 or later: pip install 'deepprof[mcp]'")
    made.run("stdio")
    return 0
