"""Do the defaults carry over to data that nobody tuned them on?

103 everyday sets (small, noisy, with strings and holes) and the benchmark sets, 70/30
splits, against CART tuned by grid search. One half of the everyday sets is there to
choose defaults on ("choose"), the other to confirm them once they are chosen
("confirm"); a hash of the name says which (see `_wild_sets.half`).

Contestants are lines of `_wild_contestants.REGISTRY` (trees) and of
`_wild_boosters.BOOSTERS` (boosted trees, in two leagues; they need the bench extra).
What has been measured is kept by set, contestant and seed: a run goes on where it
stopped, and `--redo` measures the named contestants anew. `--quick` takes a few small
sets of the chosen groups.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks._generalization import TASKS
from benchmarks._timing import WORK, stored_json, write_json
from benchmarks._wild_boosters import BOOSTERS
from benchmarks._wild_contestants import REFERENCES, REGISTRY
from benchmarks._wild_report import (
    COMPARED,
    order,
    print_ranks,
    print_summary,
    ranks_of,
    summary,
)
from benchmarks._wild_runs import Store
from benchmarks._wild_sets import GROUPS, quick, sets_of

SEEDS = 3
EVERY = REGISTRY | BOOSTERS
DEFAULT = ("DPDT default", "DPDT CV")
#: Scores of the trees, and what is published of each comparison.
SCORES = {score for rows in COMPARED.values() for score, _, _ in rows}
KEPT = ("win", "tie", "loss", "trimmed")
#: Run by run, not published.
RUNS, BOOSTER_RUNS = WORK / "wild.json", WORK / "wild_boosters.json"


def report(store: Store, names: Sequence[str], contestants: Sequence[str]) -> None:
    """Print one table for each group and task."""
    for group in GROUPS:
        for task in TASKS:
            every = store.of(task, group)
            runs = {name: every[name] for name in names if name in every}
            trees = [name for name in contestants if name in REGISTRY]
            print_summary(runs, task, group, order(trees))
            boosters = [name for name in contestants if name in BOOSTERS]
            print_ranks(runs, task, group, boosters)


def published(*stores: Store, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """What the pages need: the figures of every contestant by task and group."""
    # Trees and boosters are measured at different times: one run keeps the other's.
    found: dict[str, Any] = {"trees": {}, "boosters": {}}
    for store in stores:
        for task in TASKS:
            for group in GROUPS:
                sets = store.of(task, group)
                names = list(dict.fromkeys(c for runs in sets.values() for c in runs))
                trees = summary(sets, task, [n for n in names if n in REGISTRY])
                for row in trees.values():
                    for score in SCORES & row.keys():
                        row[score] = {key: row[score][key] for key in KEPT}
                if trees:
                    found["trees"].setdefault(task, {}).setdefault(group, {})
                    found["trees"][task][group] |= trees
                ranks = ranks_of(sets, task, [n for n in names if n in BOOSTERS])
                if ranks:
                    found["boosters"].setdefault(task, {})[group] = ranks
    return found | {k: earlier[k] for k in found if not found[k] and k in earlier}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", nargs="+", default=list(GROUPS), choices=GROUPS)
    parser.add_argument("--sets", nargs="+", metavar="FOLDER/NAME")
    parser.add_argument(
        "--contestants", nargs="+", default=list(DEFAULT), choices=list(EVERY)
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, help="splits of a set")
    parser.add_argument("--quick", action="store_true", help="a few small sets")
    parser.add_argument("--redo", action="store_true", help="forget these contestants")
    parser.add_argument(
        "--publish", action="store_true", help="what has been measured, and no more"
    )
    parser.add_argument("--store", type=Path, default=RUNS)
    options = parser.parse_args(arguments)
    if options.publish:
        _publish(Store(RUNS))
        return
    names = options.sets or sets_of(options.groups)
    names = quick(names) if options.quick else names
    contestants = order([*REFERENCES, *options.contestants])
    store = Store(options.store)
    if options.redo:
        store.forget(names, options.contestants)
    store.run(names, {name: EVERY[name] for name in contestants}, options.seeds)
    report(store, names, contestants)
    if options.store == RUNS and not options.quick:
        _publish(store)


def _publish(trees: Store) -> None:
    earlier = stored_json("wild")
    write_json("wild", published(trees, Store(BOOSTER_RUNS), earlier=earlier))


if __name__ == "__main__":
    main()
