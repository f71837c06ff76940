"""
The entry point of ``pckc``.

Exit codes: 0 done; 1 a check found something (``verify``, ``doctor``), or some of several sources (``ingest``) or
queries (``search --batch``) failed; 2 wrong usage or input; 3 configuration; 4 a store or service failed; 5 not found;
130 interrupted.
"""

import errno
import gc
import os
import sys
from collections.abc import Sequence

EXIT_CODES = {"invalid_input": 2, "configuration": 3, "backend": 4, "backend_unavailable": 4, "not_found": 5}
OBJECTS_TO_COLLECT = 200_000
"""Starting makes so many objects that stay: looking for garbage among them takes a sixth of the time."""

FULL_OR_BROKEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
"""What writing to a device gives that takes no more."""


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(OBJECTS_TO_COLLECT)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
        if sys.argv[1:2] == ["hook"]:
            os._exit(code)  # Python's farewell takes a tenth of the time
    except BrokenPipeError:
        _silence_stdout()
    except OSError as error:
        code = _report_unwritten(error)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if arguments and arguments[0] == "sync":
        from pckc_mcp.cli.unchanged import answer_unchanged

        if answer_unchanged(arguments[1:]):
            return 0
    if arguments and arguments[0] == "hook" and not {"-h", "--help"} & set(arguments):
        from pckc_mcp.hooks.entry import answer

        return answer(arguments[1:])
    from pckc_domain.errors import PckcError

    from pckc_mcp.cli.output import note, report_error
    from pckc_mcp.cli.parser import build_parser, check_store, wants_json
    from pckc_mcp.logs import check_log_settings

    try:
        parser = build_parser()
        options = parser.parse_args(arguments)
        if options.version:
            return _print_version()
        if not options.command:
            parser.print_help()
            return 0
        check_log_settings()
        if os.environ.get("PCKC_LOG") == "json" or os.environ.get("PCKC_TRACES"):  # then libraries speak, too
            from pckc_mcp.loggers import configure_logging

            configure_logging()
        check_store(options)
        from pckc_mcp.cli.commands import COMMANDS

        return COMMANDS[options.command](options)
    except PckcError as error:
        report_error(error, as_json=wants_json(arguments))
        return EXIT_CODES.get(error.code, 1)
    except KeyboardInterrupt:
        note("pckc: interrupted; what was committed is kept, run the command again to go on")
        return 130
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except OSError as error:
        if error.errno in FULL_OR_BROKEN:
            return _report_unwritten(error)
        from pckc_mcp.system_errors import as_told

        report_error(as_told(error), as_json=wants_json(arguments))
        return EXIT_CODES["backend"]


def _print_version() -> int:
    from importlib.metadata import version

    print(f"pckc {version('pckc-mcp')}")  # noqa: T201 - the answer itself
    return 0


def _report_unwritten(error: OSError) -> int:
    _silence_stdout()
    place = ascii(error.filename) if error.filename else "the output"
    sys.stderr.write(f"pckc: {place} cannot be written: {error.strerror}\n")
    return EXIT_CODES["backend"]


def _silence_stdout() -> None:
    """The reader has gone: nothing more can be said, and Python's own flush at exit must not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
