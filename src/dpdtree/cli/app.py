"""The command `dpdtree` and its exit codes."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from click.exceptions import Exit

from dpdtree.cli._click import BaseGroup, click
from dpdtree.cli.commands.demo import demo
from dpdtree.cli.commands.evaluate import evaluate
from dpdtree.cli.commands.explore import explore
from dpdtree.cli.commands.export import export
from dpdtree.cli.commands.fit import fit
from dpdtree.cli.commands.info import info
from dpdtree.cli.commands.path import path
from dpdtree.cli.commands.predict import predict
from dpdtree.cli.errors import (
    CLOSED_PIPE,
    FAILED,
    INTERRUPTED,
    USAGE,
    CommandError,
    did_you_mean,
    reason,
)
from dpdtree.cli.talk import complain, put, warn

_HELP = """Decision trees that look ahead, from a table to a model and back.

\b
Examples:
  dpdtree fit data.csv --target y -o model.json
  dpdtree predict model.json new.csv -o out.csv
  dpdtree export model.json --format sql
"""


class ClosedPipeError(Exception):
    """Nobody reads what is written any more."""


class Group(BaseGroup):
    """Commands; a misspelled one is told what it may have meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say which one is close."""
        name = args[0]
        known = self.get_command(ctx, name) is not None or ctx.resilient_parsing
        if not known and not name.startswith("-"):
            commands = self.list_commands(ctx)
            hint = did_you_mean(name, commands) or f" There are: {', '.join(commands)}."
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; click would make a closed pipe an error."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ClosedPipeError from None


def _show_completion(ctx: Any, param: Any, shell: str | None) -> None:
    if shell is None:
        return
    from click.shell_completion import get_completion_class

    make = get_completion_class(shell)
    assert make is not None
    put(make(main, {}, "dpdtree", "_DPDTREE_COMPLETE").source())
    ctx.exit()


@click.group(
    cls=Group,
    help=_HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="dpdtree", message="%(prog)s %(version)s")
@click.option(
    "--show-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    callback=_show_completion,
    expose_value=False,
    is_eager=True,
    help="Print what a shell needs to complete commands, options and columns:"
    ' eval "$(dpdtree --show-completion bash)".',
)
def main() -> None:
    """Run a command: see _HELP."""


for command in (demo, fit, predict, evaluate, path, export, explore, info):
    main.add_command(command)


def run_process() -> int:
    """Run the command of this process and return its exit code."""
    _end_by_exception()
    warnings.showwarning = _one_line
    return run(sys.argv[1:])


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; errors are one line each."""
    try:
        try:
            result = main.main(list(arguments), "dpdtree", standalone_mode=False)
            code = result if isinstance(result, int) else 0
        finally:
            sys.stdout.flush()
    except click.UsageError as error:
        error.show()
        code = USAGE
    except Exit as error:
        code = error.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except CommandError as error:
        complain(str(error))
        code = error.code
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted.")
        code = INTERRUPTED
    except (ClosedPipeError, BrokenPipeError):
        _forget_output()
        code = CLOSED_PIPE
    except (ValueError, TypeError, ImportError, MemoryError) as error:
        if os.environ.get("DPDTREE_TRACEBACK"):
            raise
        complain(str(error) or type(error).__name__)  # of the estimators: for users
        code = FAILED
    except OSError as error:
        complain(f"{error.filename or 'The system'}: {reason(error)}.")
        code = FAILED
    return code


def _one_line(message: Any, *_: Any, **__: Any) -> None:
    warn(str(message))


def _end_by_exception() -> None:
    """Let `kill` unwind the stack, so that temporary files are removed."""

    def end(number: int, frame: Any) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)


def _forget_output() -> None:
    """Nobody reads any more: what is left in the buffers must not be an error."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
