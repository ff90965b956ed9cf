"""The explorer's scripts, checked by TypeScript in its strict mode."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from dpdtree.explorer.page import asset, source

ROOT = Path(__file__).parents[2]
#: Kept between runs, as the other tools of a build are.
TOOLS = ROOT / "build" / "npm"
TYPESCRIPT = "typescript@5.9"
OPTIONS = ["--noEmit", "--allowJs", "--checkJs", "--strict"]
OPTIONS += ["--noUncheckedIndexedAccess", "--noImplicitReturns"]
OPTIONS += ["--target", "es2022", "--lib", "es2022,dom,dom.iterable"]


@pytest.fixture(scope="module")
def compiler():
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the types of the scripts are not checked")
    program = TOOLS / "node_modules" / ".bin" / "tsc"
    if not program.exists():
        TOOLS.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--silent", "--no-audit", "--no-fund"]
        done = subprocess.run(
            [*command, "--prefix", str(TOOLS), TYPESCRIPT],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            env={**os.environ, "npm_config_fetch_timeout": "60000"},
        )
        if done.returncode != 0:
            pytest.skip("npm could not get TypeScript: types are not checked")
    return str(program)


def check(compiler, folder, text):
    (folder / "explorer.js").write_text(text)
    (folder / "types.d.ts").write_text(asset("types.d.ts"))
    command = [compiler, *OPTIONS, "types.d.ts", "explorer.js"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


def test_scripts_have_the_types_they_say(compiler, tmp_path):
    done = check(compiler, tmp_path, source())
    assert done.returncode == 0, done.stdout


def test_a_wrong_type_is_found(compiler, tmp_path):
    wrong = source().replace("begin();\n", "select(1);\nbegin();\n")
    done = check(compiler, tmp_path, wrong)
    assert "'number' is not assignable to parameter of type 'string'" in done.stdout
