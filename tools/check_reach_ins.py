"""Check that no Python module uses another module's private names.

A private name begins with one underscore. A module may use

* the attributes of `self`, `cls` and `super()`: a subclass may use what it inherits;
* what it defines itself: functions, classes, methods, attributes, slots;
* private modules of the package (`from . import _losses`): their public names are
  the interface, and the layers say who may import them.

Attributes read by name (`getattr(x, "_name")`) count as well. Whatever else must be
reached, a protocol of another library for instance, stands in ALLOWED with its reason.
Prints each line that does not comply and exits with 1.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

#: Names that are not ours, and why they are used.
_SCORER = "scikit-learn's scorers do not say otherwise whether they take weights"
_CALLBACKS = "scikit-learn's callbacks have no other way in yet"
_CONTAINERS = "scikit-learn's own estimators take rows of all containers by it"
ALLOWED = {
    "_exit": "the documented way to end a process whose pipe was closed (os)",
    "_score_func": _SCORER,
    "_accept_sample_weight": _SCORER,
    "_skl_callbacks": _CALLBACKS,
    "_init_callback_context": _CALLBACKS,
    "_safe_indexing": _CONTAINERS,
    "_num_samples": _CONTAINERS,
    "_check_method_params": _CONTAINERS,
}
#: Documented methods of named tuples; the underscore keeps fields free.
NAMED_TUPLES = {"_replace", "_fields", "_asdict", "_make"}

OWN = {"self", "cls"}
BY_NAME = {"getattr", "setattr", "hasattr", "delattr"}


def is_private(name: str) -> bool:
    """Tell whether a name is private: `_name`, but neither `_` nor `__name__`."""
    return name.startswith("_") and name.strip("_") != "" and not name.endswith("__")


def defined(tree: ast.Module) -> set[str]:
    """Return the names that a module defines, at any depth."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.Attribute(value=ast.Name(id=owner), ctx=ast.Store()):
                names.update({node.attr} if owner in OWN else ())
    return names | set(_slots(tree))


def _slots(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__slots__"
            for target in node.targets
        ):
            for item in ast.walk(node.value):
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield item.value


def _is_own(owner: ast.expr) -> bool:
    if isinstance(owner, ast.Call):
        owner = owner.func
        return isinstance(owner, ast.Name) and owner.id == "super"
    return isinstance(owner, ast.Name) and owner.id in OWN


def uses(tree: ast.Module, modules: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each private name taken from elsewhere.

    Parameters
    ----------
    tree
        A module.
    modules
        The names of the package's private modules, which may be imported.
    """
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=owner, attr=name) if not _is_own(owner):
                if not (name in modules and _names_package(owner, imported)):
                    yield node.lineno, name
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    if alias.name not in modules:
                        yield node.lineno, alias.name
            case ast.Call(
                func=ast.Name(id=function),
                args=[owner, ast.Constant(value=str(name)), *_],
            ) if function in BY_NAME and not _is_own(owner):
                yield node.lineno, name


def _names_package(owner: ast.expr, imported: set[str]) -> bool:
    """Tell whether an expression names a package: `dpdtree`, or one imported."""
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id in imported | {"dpdtree"}


def check_module(name: str, text: str, modules: set[str]) -> Iterator[str]:
    """Yield a message for each private name that a module must not use."""
    tree = ast.parse(text)
    known = defined(tree) | NAMED_TUPLES | set(ALLOWED)
    for line, used in uses(tree, modules):
        if is_private(used) and used not in known:
            yield f"{name}:{line}: uses {used}, which is private to another module"


def check_package(root: Path) -> list[str]:
    """Return the messages of all modules of a package."""
    files = sorted(root.rglob("*.py"))
    modules = {path.stem for path in files} | {path.parent.name for path in files}
    modules.add("_core")  # compiled
    return [
        message
        for path in files
        for message in check_module(
            str(path.relative_to(root.parent)), path.read_text(), modules
        )
    ]


def main() -> int:
    """Check the package of this project."""
    root = Path(__file__).resolve().parent.parent / "src" / "dpdtree"
    messages = check_package(root)
    print("\n".join(messages) or "No module reaches into another.")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
