"""The command line in processes of its own: errors, signals, limits, pipes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli import COMMAND, ENVIRONMENT, data_folder, process, rows

resource = pytest.importorskip("resource", reason="limits of files need Unix")

FIT = "fit d.csv --target label -o out.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    return data_folder(tmp_path_factory.mktemp("cli"))


def files(folder: Path) -> set[str]:
    """All names in a folder, hidden ones as well."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "d.csv is empty."),
        (b"\xef\xbb\xbf\r\n", "d.csv is empty."),
        (b"label\nyes\nno\n", "No column is left to predict from."),
        (b"age,label\n", "d.csv has no rows."),
        (b"age,age,label\n1,2,yes\n", "more than one column 'age'"),
        (b"age,Label\n1,yes\n", "no column 'label'. Did you mean 'Label'?"),
        (b"age,label\n1\n", "Expected 2 columns, got 1"),
        ("age,label\n1,né\n".encode("latin-1"), "give its --encoding"),
        (b"age,label\n1,\n", "The target 'label' has no values."),
    ],
    ids=[
        "empty",
        "bom",
        "1 column",
        "header",
        "twice",
        "case",
        "short",
        "latin",
        "null",
    ],
)
def test_tables_that_cannot_be_fitted(
    tmp_path: Path, text: bytes, message: str
) -> None:
    (tmp_path / "d.csv").write_bytes(text)
    result = process(FIT, folder=tmp_path)
    assert result.code == 1
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    assert files(tmp_path) == {"d.csv"}


def test_bom_crlf_and_quoted_newlines(tmp_path: Path) -> None:
    text = rows().replace("job", '"job\ntitle"').replace("nurse", '"nurse, ""night"""')
    text = text.replace("\n", "\r\n").replace('"job\r\n', '"job\n')
    (tmp_path / "d.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    result = process(f"{FIT} --json -q", folder=tmp_path)
    assert (result.code, result.err) == (0, "")
    names = [feature["name"] for feature in result.json["features"]]
    assert names == ["id", "age", "job\ntitle", "income", "price"]
    again = process("info out.json --json", folder=tmp_path)
    assert 'nurse, "night"' in again.json["features"][2]["categories"]


def test_wrong_columns_are_named(folder: Path) -> None:
    (folder / "few.csv").write_text("Age,income\n1,2\n")
    before = files(folder)
    result = process("predict model.json few.csv -o out.csv", folder=folder)
    assert result.code == 1
    assert "few.csv has no columns 'age', 'job'" in result.err
    assert "It has: Age, income." in result.err
    (folder / "few.csv").write_text("age,job,income\nold,clerk,2\n")
    result = process("predict model.json few.csv -o out.csv", folder=folder)
    assert result.code == 1
    assert "column 'age' holds 'old', which is not a number." in result.err
    assert files(folder) == before


def test_a_late_error_leaves_no_file(folder: Path) -> None:
    """The first batches are written when the last one turns out to be wrong."""
    text = "age,job,income\n" + "1,clerk,2\n" * 1_700_000 + "1,clerk,oops\n"
    (folder / "late.csv").write_text(text)
    (folder / "out.csv").write_text("precious")
    before = files(folder)
    result = process("predict model.json late.csv -o out.csv", folder=folder)
    assert result.code == 1
    assert "column 'income' holds 'oops'" in result.err
    assert files(folder) == before
    assert (folder / "out.csv").read_text() == "precious"
    (folder / "late.csv").unlink()
    (folder / "out.csv").unlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_input_without_permission(folder: Path) -> None:
    path = folder / "secret.csv"
    path.write_text(rows(10))
    path.chmod(0)
    result = process("predict model.json secret.csv", folder=folder)
    assert result.code == 1
    assert "secret.csv cannot be read: Permission denied." in result.err


def test_input_that_is_a_folder_or_nothing(folder: Path) -> None:
    result = process("predict model.json .", folder=folder)
    assert (result.code, result.err) == (
        1,
        "Error: . cannot be read: Is a directory.\n",
    )
    result = process("fit nothing.csv -t y", folder=folder)
    assert (result.code, result.out) == (1, "")
    assert "nothing.csv cannot be read: No such file or directory." in result.err


def test_ctrl_c(tmp_path: Path) -> None:
    """A proof that would take hours ends at once, and leaves nothing behind."""
    (tmp_path / "d.csv").write_text(rows(4000))
    options = "--strategy optimal --max-depth 7 --drop job --alpha 0 --drop label"
    command = f"fit d.csv -t price {options} -o out.json"
    running = subprocess.Popen(
        [*COMMAND, *command.split()],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("Target"):  # the fit comes next
            break
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.splitlines()[-1] == "Error: interrupted."
    assert "Traceback" not in err
    assert out == ""
    assert files(tmp_path) == {"d.csv"}


def test_a_full_disk(folder: Path) -> None:
    """A file that may not grow: the error has a name, and no part of it stays."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    before = files(folder)
    command = "predict model.json data.csv -o out.csv"
    result = process(command, folder=folder, preexec_fn=limit)
    assert result.code == 1
    assert result.err == "Error: out.csv cannot be written: File too large.\n"
    command = "fit data.csv -t label --drop price -o out.json -q"
    result = process(command, folder=folder, preexec_fn=limit)
    assert result.code == 1
    assert "out.json cannot be written: File too large." in result.err
    assert files(folder) == before


def test_a_reader_that_leaves(folder: Path) -> None:
    text = "age,job,income\n" + "1,clerk,2\n" * 500_000
    (folder / "long.csv").write_text(text)
    command = f"{' '.join(COMMAND)} predict model.json long.csv | head -n 2"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["prediction", "no", "141"]
    assert done.stderr == ""
    (folder / "long.csv").unlink()


def test_output_that_cannot_be_replaced(folder: Path) -> None:
    """A device is written to; it stays one."""
    result = process("predict model.json data.csv -o /dev/null", folder=folder)
    assert result.code == 0
    assert not Path("/dev/null").is_file()
    result = process("predict model.json data.csv -o no/where.csv", folder=folder)
    assert result.code == 1
    assert "no/where.csv cannot be written: No such file or directory." in result.err


def test_without_the_extra(tmp_path: Path) -> None:
    """The demonstration works, and the rest says what is missing."""
    hidden = (
        "import importlib.util as u\nfound = u.find_spec\n"
        "u.find_spec = lambda n, p=None:"
        " None if n in ('click', 'pyarrow') else found(n, p)\n"
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name in ('pandas', 'matplotlib'):\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Absent())\n"
    )
    without = environment_with(tmp_path, hidden)
    result = process("demo", folder=tmp_path, env=without)
    assert result.code == 0
    assert "CART, depth 6" in result.out
    assert (tmp_path / "dpdtree-demo.html").is_file()
    result = process("fit", folder=tmp_path, env=without)
    assert result.code == 1
    assert "pip install 'dpdtree[cli]'" in result.err


def environment_with(folder: Path, code: str) -> dict[str, str]:
    """Code that Python runs before all other."""
    (folder / "sitecustomize.py").write_text(code)
    paths = os.pathsep.join([str(folder), ENVIRONMENT.get("PYTHONPATH", "")])
    return {**ENVIRONMENT, "PYTHONPATH": paths}


def test_help_with_and_without_rich_click(tmp_path: Path) -> None:
    rich = process("fit --help", folder=tmp_path)
    hidden = environment_with(tmp_path, "import sys; sys.modules['rich_click'] = None")
    plain = process("fit --help", folder=tmp_path, env=hidden)
    assert plain.code == rich.code == 0
    for text in (plain.out, rich.out):
        assert "Parameters of the model" in text
        for name in ("--strategy", "--time-limit", "--learning-rate", "--rule"):
            assert name in text
    assert "╭" in rich.out
    assert "╭" not in plain.out


def test_shells_complete_columns(folder: Path) -> None:
    script = process("--show-completion bash", folder=folder)
    assert "_DPDTREE_COMPLETE=bash_complete" in script.out
    asked = {"_DPDTREE_COMPLETE": "bash_complete", "COMP_CWORD": "4"}
    asked["COMP_WORDS"] = "dpdtree fit data.csv --target in"
    result = process("", folder=folder, env={**ENVIRONMENT, **asked})
    assert result.out.splitlines() == ["plain,income"]


@pytest.mark.skipif(shutil.which("script") is None, reason="needs a terminal")
def test_colours_are_for_terminals_that_want_them(folder: Path) -> None:
    command = f"{' '.join(COMMAND)} fit data.csv -t label --drop price"
    for no_color in (False, True):
        environment = {**ENVIRONMENT, "TERM": "xterm-256color"}
        if not no_color:
            del environment["NO_COLOR"]
        done = subprocess.run(
            ["script", "-qec", command, "/dev/null"],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert (b"\x1b[1m" in done.stdout) is not no_color
        assert b"FitReport" not in done.stdout  # counts of states are for Python


def test_the_package_alone_imports_no_optional_one() -> None:
    """What plots, exports and the command line need is imported by them."""
    code = (
        "import sys, sklearn.tree; before = set(sys.modules); import dpdtree;"
        "print(*sorted({n.partition('.')[0] for n in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    ours = set(done.stdout.split()) - set(sys.stdlib_module_names)
    assert ours <= {"dpdtree", "sklearn", "scipy", "numpy", "joblib", "threadpoolctl"}
