"""The deepprof command of the package; ``deepprof mcp`` serves language models."""
import os
import sys

from .record import command


def main() -> None:
    """Becomes the command."""
    if sys.argv[1:2] == ["mcp"]:
        from .mcp import main as serve

        sys.exit(serve(sys.argv[2:]))
    program = command()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
