"""Copies the stored results into the tables of docs/benchmarks.md and deployment.md.

A table stands between `<!-- name part: begin -->` and `<!-- name part: end -->`, where
`name` is a file in benchmarks/results. Tables without stored results stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from benchmarks._data import PROJECT_ROOT
from benchmarks._generalization import (
    BASE,
    PEERS,
    RIVALS,
    TASKS,
    count_text,
    peers,
    summarize,
)
from benchmarks._timing import RESULTS, geometric_mean
from benchmarks._wild_report import COMPARED, compare, mean_leaves, time_ratios
from benchmarks.defaults import smoothing_table
from benchmarks.defaults import summarize as default_rows
from benchmarks.latency import rendered as latency

PAGES = [PROJECT_ROOT / "docs" / name for name in ("benchmarks.md", "deployment.md")]

Content = dict[str, Any]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table, the first column to the left."""
    rule = ["---", *("--:" for _ in header[1:])]
    lines = [header, rule, *(list(map(str, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def footer(content: Content) -> str:
    """The machine and the versions behind the figures."""
    machine = content["machine"]
    packages = {k: machine[k] for k in ("dpdtree", "scikit-learn", "numpy")}
    packages |= content.get("peers", {})
    versions = ", ".join(f"{name} {v}" for name, v in packages.items())
    return f"{machine['cpu']}, Python {machine['python']}; {versions}."


def table1(content: Content) -> str:
    """Our accuracy, and the paper's where the third digit differs."""
    columns = {"greedy": "cart", "light": "dpdt_light", "full": "dpdt_full"}
    columns |= {"top_b light": "topb_light", "top_b full": "topb_full"}

    def cell(name: str, column: str) -> str:
        own = f"{content['sets'][name]['accuracy'][column]:.3f}"
        theirs = f"{content['paper'][name][columns[column]]:.3f}"
        return own if own == theirs else f"{own} ({theirs})"

    rows = [[name, *(cell(name, c) for c in columns)] for name in content["sets"]]
    return "In brackets: the published figure where it differs.\n\n" + table(
        ["set", *columns], rows
    )


def speed(content: Content) -> str:
    """Geometric means and the largest ratio of every variant."""
    rows = []
    for task in ("classification", "regression"):
        for variant, mean in content[task]["geometric_mean"].items():
            ratios = [s["ratio"][variant] for s in content[task]["sets"].values()]
            cells = [f"{mean['mean']:.2f}", f"{max(ratios):.2f}", f"{mean['target']:g}"]
            rows.append([task, variant, *cells])
    header = ["task", "candidates", "geometric mean", "largest", "target"]
    return table(header, rows)


def categorical(content: Content) -> str:
    """Means over all sets, and adult against CART on one-hot columns."""
    summary = content["summary"]
    rows = [
        [name, f"{s['score']:.4f}", f"{s['leaves']:.1f}", f"{s['time']:.2f}"]
        for name, s in summary.items()
        if "time" in s
    ]
    adult, sets = content["adult"], content["sets"]
    ours = sum(
        s["native"]["score"] >= max(s["ordinal"]["score"], s["one-hot"]["score"])
        for s in sets.values()
    )
    text = (
        f"{len(sets)} sets, {content['splits']} splits, depth {content['depth']}, at"
        f" most {content['most_rows']} rows. The better encoding of each set has a mean"
        f" of {summary['better encoding']['score']:.4f}; native is at least as good on"
        f" {ours}. adult, all rows, depth 5, from the raw frame: {adult['ratio']:.2f}"
        f" times CART on the ready one-hot matrix (accuracy"
        f" {adult['native accuracy']:.4f} against {adult['CART accuracy']:.4f})."
    )
    header = ["tree", "test score", "leaves", "time / native"]
    return f"{table(header, rows)}\n\n{text}"


def near_optimal(part: Content) -> str:
    """Depth 3: errors, gap and time."""
    rows = []
    for name, s in part["sets"].items():
        errors = [s[model]["errors"] for model in ("CART", "paper", "balanced")]
        gap, times = f"{100 * s['gap']['balanced']:.3f}", s["ratio"]
        ratios = [f"{times[k]:.2f}" for k in ("paper", "balanced")]
        rows.append([name, s["n"], s["optimum"], *errors, gap, *ratios])
    header = ["set", "N", "optimum", "CART", "paper", "balanced", "gap %"]
    header += ["paper ÷ CART time", "balanced ÷ CART time"]
    f, t = part["summary"]["balanced"], part["targets"]
    line = (
        f"Balanced is optimal on {f['optimal']} of {f['sets']} sets"
        f" (aim: {t['optimal']}), within 0.1 % of the rows on {f['near']}"
        f" (aim: {t['near']}); mean gap {f['mean_gap']:.3%} (aim: {t['mean_gap']:.2%});"
        f" time ÷ CART: geometric mean {f['mean_ratio']:.2f}"
        f" (aim: {t['mean_ratio']:g}), largest {f['max_ratio']:.1f}"
        f" (aim: {t['max_ratio']:g})."
    )
    return f"{table(header, rows)}\n\n{line}"


def other_sets(part: Content) -> str:
    """Depth 3 on sets beyond Table 1."""
    rows = []
    for name, s in part["sets"].items():
        optimum = f"{s['best_errors']}{'' if s['proven'] else '?'}"
        errors = [s[model]["errors"] for model in ("CART", "balanced")]
        measured = [
            f"{100 * s['gap']['balanced']:.3f}",
            f"{s['ratio']['balanced']:.2f}",
        ]
        rows.append([name, s["n"], optimum, *errors, *measured])
    header = ["set", "N", "optimum", "CART", "balanced", "gap %", "÷ CART time"]
    f = part["summary"]["proven"]
    line = (
        f"Of the {f['sets']} sets whose optimum is proven within {part['limit']:g} s"
        f" (the others have a ?) balanced is optimal on {f['optimal']}, within 0.1 % of"
        f" the rows on {f['near']}; mean gap {f['mean_gap']:.3%}; time ÷ CART:"
        f" geometric mean {f['mean_ratio']:.2f}, largest {f['max_ratio']:.1f}."
    )
    return f"{table(header, rows)}\n\n{line}"


def deeper(part: Content) -> str:
    """Depth 4 or 5: train / test accuracy and seconds of every solver."""
    models = list(part["summary"])

    def cell(fit: Content | None) -> str:
        if fit is None:
            return "-"
        star = "" if fit["finished"] else "*"
        return f"{fit['train']:.3f} / {fit['test']:.3f}, {fit['seconds']:.2g} s{star}"

    rows = [
        [name, *(cell(fits.get(model)) for model in models)]
        for name, fits in part["sets"].items()
    ]
    means = [
        f"{f['train']:.4f} / {f['test']:.4f}, {f['mean_ratio']:.3g} times CART"
        for f in part["summary"].values()
    ]
    text = table(["set", *models], [*rows, ["**mean**", *means]])
    return f"{text}\n\nTime limit of ConTree and STreeD: {part['limit']:g} s."


def exact(part: Content) -> str:
    """Proofs against ConTree, or STreeD where there is that."""
    rows = []
    solver = "STreeD" if "STreeD" in next(iter(part["sets"].values())) else "ConTree"
    for name, s in part["sets"].items():
        own, peer = s["ours"], s[solver]
        mark = "" if peer["finished"] else ">"
        gap = round(own["errors"] - own["lower_bound"])
        ratio = f"{mark}{s['speed_up']:.1f}" if own["proven"] else "-"
        cells = [own["errors"], gap, f"{own['seconds']:.3g}"]
        cells += [peer["errors"], f"{mark}{peer['seconds']:.3g}", ratio]
        rows.append([name, *cells])
    header = ["set", "errors", "gap", "s", f"{solver} errors", "s", "speed-up"]
    text = f"{table(header, rows)}\n\nTime limit: {part['limit']:g} s."
    facts = part.get("summary")
    if not facts:
        return text
    least, middle = facts["least_speed_up"], facts["median_speed_up"]
    return f"{text} Speed-up: least {least:.1f}, median {middle:.1f}."


def generalization(content: Content) -> str:
    """Both tasks: means, ranks, wins and losses of every model."""
    parts = [_task_table(content["sets"], task) for task in TASKS]
    parts += [_peer_lines(content, peer) for peer in PEERS]
    return "\n\n".join(part for part in parts if part)


def _task_table(sets: Content, task: str) -> str:
    rows = []
    found = summarize(sets, task)
    for model, row in found.items():
        against = [count_text(row.get(f"vs {rival}")) or "-" for rival in RIVALS]
        tuned, loss = row.get(f"vs {RIVALS[0]}"), row["log_loss"]
        gain = f"{tuned['gain']:+.4f}" if tuned else "-"
        cells = [row["sets"], f"{row['score']:.4f}", gain, f"{row['rank']:.2f}"]
        cells += against
        cells += [f"{loss:.3f}"] if task == "classification" else []
        rows.append([model, *cells, f"{row['leaves']:.1f}", f"{row['seconds']:.2g}"])
    if not rows:
        return ""
    score = "accuracy" if task == "classification" else "R²"
    header = ["model", "sets", f"mean {score}", f"gain over {RIVALS[0]}", "mean rank"]
    header += [f"against {rival}" for rival in RIVALS]
    header += ["log-loss"] if task == "classification" else []
    text = table([*header, "leaves", "seconds"], rows)
    return f"{task.capitalize()}:\n\n{text}"


def _peer_lines(content: Content, peer: str) -> str:
    found = peers(content["sets"], peer)
    if not found:
        return ""
    means = ", ".join(f"{m} {v:.4f}" for m, v in found["score"].items())
    counts = "; ".join(f"{m} {count_text(v)}" for m, v in found["ours"].items())
    return (
        f"{peer} (depth {content['depth']}, limit {content['peer_limit']:g} s, one"
        f" split of each of {found['sets']} classification sets with at most"
        f" {content['peer_rows']} rows): mean accuracy {means}. Ours against it:"
        f" {counts}."
    )


def wild(content: Content) -> str:
    """The estimators without arguments against tuned CART, by group of sets."""
    titles = {"choose": "everyday, chosen on", "confirm": "everyday, confirmed on"}
    titles["bench"] = "benchmark"
    texts = []
    for task in TASKS:
        scores = [score for score, _, _ in COMPARED[task]]
        header = ["sets", "", "number", *scores, "time ÷ CART (largest)", "leaves"]
        rows = [
            [title, model, *_wild_cells(content, task, group, model)]
            for group, title in titles.items()
            for model in ("DPDT default", "DPDT CV")
        ]
        known = [row for row in rows if len(row) > 2]
        texts.append(f"{task.capitalize()}:\n\n{table(header, known)}")
    return "\n\n".join(texts)


def _wild_cells(content: Content, task: str, group: str, model: str) -> list[str]:
    """Wins, ties and losses by each score, time and size; none without runs."""
    sets = {
        name: entry["runs"]
        for name, entry in content["sets"].items()
        if (entry["task"], entry["group"]) == (task, group) and model in entry["runs"]
    }
    if not sets:
        return []
    cells = [str(len(sets))]
    for score, reference, sign in COMPARED[task]:
        found = compare(sets, model, reference, score, sign)
        cells.append("{win}/{tie}/{loss}".format(**found))
    ratios = time_ratios(sets, model)
    cells.append(f"{geometric_mean(ratios):.1f} ({max(ratios):.1f})")
    return [*cells, f"{mean_leaves(sets, model):.0f}"]


def defaults(content: Content) -> str:
    """Each variant of each task against tuned CART; then the smoothing of leaves."""
    parts = []
    for task in TASKS:
        rows = []
        for variant, row in default_rows(content["sets"], task).items():
            duel = row["versus"]
            cells = [row["sets"], f"{row['score']:.4f}", f"{duel['gain']:+.4f}"]
            cells += [count_text(duel), f"{row['leaves']:.1f}", f"{row['ratio']:.1f}"]
            rows.append([variant, *cells])
        score = "accuracy" if task == "classification" else "R²"
        header = ["variant", "sets", f"mean {score}", f"gain over {BASE}"]
        header += [f"against {BASE}", "leaves", "time ÷ CART of that depth"]
        parts.append(f"{task.capitalize()}:\n\n{table(header, rows)}")
    found = smoothing_table(content["sets"])
    losses = ["mean log-loss", *(f"{row['log_loss']:.3f}" for row in found.values())]
    better = ["better than None on", *(row["better"] for row in found.values())]
    parts.append(table(["`leaf_smoothing`", *found], [losses, better]))
    return "\n\n".join(parts)


def path(content: Content) -> str:
    """Both kinds of path of every variant: geometric mean and largest ratio."""
    rows = []
    for variant, found in content["variants"].items():
        facts = found["summary"]
        cells = [f"{facts[k][f]:.2f}" for k in ("alpha", "leaves") for f in facts[k]]
        rows.append([variant, *cells])
    header = ["strategy", "all alphas ÷ fit", "largest", "all leaves ÷ fit", "largest"]
    aim = content["targets"]
    return f"{table(header, rows)}\n\nAim: {aim['mean']:g}, largest {aim['largest']:g}."


def large(content: Content) -> str:
    """Accuracy, time and memory against CART; two threads; growth with the rows."""
    kdd, big = content["kdd"], content["two_million"]
    parts = [
        "KDD Cup 1999 (10 %), 494 021 rows, 41 features, 23 classes, depth 10:",
        _against_cart(kdd),
        f"Synthetic, {big['rows']} rows, 28 features, depth 5:",
        _against_cart(big["models"]),
        "Two threads against one, depth 3 (aim: 1.6):",
        _threads(content["threads"]),
        "Ten times the rows: factor of time (and of the fit's memory; aim: 11):",
        _growth(content["growth"]),
    ]
    return "\n\n".join(parts)


def _against_cart(models: Content) -> str:
    cart = models["CART"]
    rows = []
    for name, m in models.items():
        scores = [m.get(f"{part}_accuracy") for part in ("train", "test")]
        ratios = [f"{m[k] / cart[k]:.2f}" for k in ("seconds", "peak_mb")]
        cells = [f"{m['seconds']:.2f}", *ratios, f"{m['extra_mb']:.0f}"]
        cells += ["" if score is None else f"{score:.4f}" for score in scores]
        rows.append([name, *cells])
    header = ["model", "s", "÷ CART", "peak memory ÷ CART", "fit MB", "train", "test"]
    return table(header, rows)


def _threads(results: Content) -> str:
    """One line per set: `results` has the keys "set candidates"."""
    lines: dict[str, list[str]] = {}
    for key, r in results.items():
        lines.setdefault(key.split(" ")[0], []).append(f"{r['speedup']:.2f}")
    columns = list(dict.fromkeys(key.split(" ")[1] for key in results))
    return table(["set", *columns], [[name, *cells] for name, cells in lines.items()])


def _growth(series: Content) -> str:
    def factor(now: Content, before: Content, key: str) -> str:
        return f"{now[key] / max(before[key], 1.0 if key == 'extra_mb' else 0.0):.1f}"

    steps = list(pairwise(next(iter(series.values()))))
    steps.append((steps[0][0], steps[-1][1]))  # the whole way
    header = [f"{a['rows']:.0e} → {b['rows']:.0e}" for a, b in steps]
    rows = []
    for name, fits in series.items():
        cells = []
        for a, b in [*pairwise(fits), (fits[0], fits[-1])]:
            found = f"{factor(b, a, 'seconds')} ({factor(b, a, 'extra_mb')})"
            if "searches" in a:
                found += f", searches {b['searches'] / a['searches']:.2f}"
            cells.append(found)
        rows.append([name, *cells])
    return table(["model", *header], rows)


def adaboost(content: Content) -> str:
    """Test accuracy of every model, mean ranks, wins and losses."""
    part, settings = content["accuracy"], content["settings"]
    facts = part["summary"]
    models = list(facts["mean_rank"])
    rows = [
        [name, *(f"{found[m]['accuracy']:.4f}" for m in models)]
        for name, found in part["sets"].items()
    ]
    rows.append(["**mean**", *(f"{facts['mean_accuracy'][m]:.4f}" for m in models)])
    rows.append(["**mean rank**", *(f"{facts['mean_rank'][m]:.2f}" for m in models)])
    duels = "; ".join(
        f"{name}: {d['wins']} wins, {d['losses']} losses, {d['ties']} ties, p ="
        f" {d['p']:.2g}"
        for name, d in facts["duels"].items()
    )
    return (
        f"{table(['set', *models], rows)}\n\n{settings['trees']} trees of depth"
        f" {settings['depth']}, learning rate 1, {settings['splits']} splits, at most"
        f" {settings['rows']} training rows. Against AdaBoost over CART: {duels}."
    )


def boosting(part: Content) -> str:
    """Mean ranks, median loss and duels of one comparison."""
    facts = part["summary"]
    base = next(m for m in facts["mean_rank"] if m not in facts["duels"])
    rows = []
    for model, rank in facts["mean_rank"].items():
        d = facts["duels"].get(model)
        cells = [f"{rank:.2f}", f"{100 * facts['median_change'][model]:+.2f}"]
        cells += [f"{d['wins']}:{d['losses']}", f"{d['p']:.2g}"] if d else ["-", "-"]
        rows.append([model, *cells])
    header = ["model", "mean rank", f"median difference of loss to {base}, %"]
    header += [f"wins:losses against {base}", "p (sign test)"]
    splits = {found["splits"] for found in part.get("sets", {}).values()}
    each = f", splits per set: {', '.join(map(str, sorted(splits)))}" if splits else ""
    return f"{facts['sets']} sets{each}.\n\n{table(header, rows)}"


def equal_boosting(part: Content) -> str:
    """The same against each of two bases."""
    other = boosting({"summary": part["against XGBoost"]})
    return f"{boosting(part)}\n\nAgainst XGBoost: {other}"


def boosting_speed(content: Content) -> str:
    """Geometric means, then every set; prediction and memory."""
    means = [
        [who, f"{m['wall']:.2f}", f"{m['cpu']:.2f}", f"{m['target']:.1f}"]
        for who, m in content["summary"].items()
    ]
    header = ["", "time ÷ LightGBM", "processor time ÷", "aim"]
    return "\n\n".join(
        [
            f"Geometric means over the sets:\n\n{table(header, means)}",
            *(
                f"{title[0].upper()}{title[1:]}:\n\n{_speed_table(title, found)}"
                for title, found in content["tables"].items()
            ),
        ]
    )


def _speed_table(title: str, found: Content) -> str:
    base = next(iter(found.values()))
    if title.startswith("memory"):
        rows = [[who, f"{mb:.1f}", f"{mb / base:.2f}"] for who, mb in found.items()]
        return table(["", "MB beside the data", "÷ LightGBM"], rows)
    rows = []
    for who, t in found.items():
        ratios = [f"{t[clock] / base[clock]:.2f}" for clock in ("wall", "cpu")]
        rows.append([who, f"{t['wall']:.3g}", *ratios])
    unit = "s" if title.startswith("prediction") else "ms per tree"
    return table(["", unit, "÷ LightGBM", "processor time ÷"], rows)


def tuned_boosting(part: Content) -> str:
    """The same under each limit of time; XGBoost, on one split, in a sentence."""
    limits = {"half": "Half of LightGBM's time", "same": "LightGBM's time"}
    limits |= {"free": "No limit"}
    tables = [
        f"{text}: {boosting({**part, 'summary': part['summary'][label]})}"
        for label, text in limits.items()
    ]
    slow = ", ".join(
        f"{text} {d['wins']}:{d['losses']}"
        for text, d in zip(
            ("half the time", "its time", "no limit"),
            part["XGBoost"].values(),
            strict=True,
        )
    )
    return "\n\n".join([*tables, f"XGBoost against LightGBM, one split: {slow}."])


#: marker → (file, part or "" for the whole file, renderer)
TABLES: dict[str, tuple[str, str, Callable[[Content], str]]] = {
    "table1": ("table1", "", table1),
    "speed": ("speed", "", speed),
    "categorical": ("categorical", "", categorical),
    "large": ("large", "", large),
    "near_optimal depth3": ("near_optimal", "depth3", near_optimal),
    "near_optimal others": ("near_optimal", "others", other_sets),
    "near_optimal depth4": ("near_optimal", "depth4", deeper),
    "near_optimal depth5": ("near_optimal", "depth5", deeper),
    "optimal depth2": ("optimal", "depth2", exact),
    "optimal depth3": ("optimal", "depth3", exact),
    "optimal depth4": ("optimal", "depth4", exact),
    "optimal binary3": ("optimal", "binary3", exact),
    "optimal binary4": ("optimal", "binary4", exact),
    "generalization": ("generalization", "", generalization),
    "wild": ("wild", "", wild),
    "path": ("path", "", path),
    "defaults": ("defaults", "", defaults),
    "adaboost": ("adaboost", "", adaboost),
    "boosting_quality depth3": ("boosting_quality", "depth3", boosting),
    "boosting_quality equal": ("boosting_quality", "equal", equal_boosting),
    "boosting_quality many": ("boosting_quality", "many", boosting),
    "boosting_quality tuned": ("boosting_quality", "tuned", tuned_boosting),
    "boosting_speed": ("boosting_speed", "", boosting_speed),
    "latency": ("latency", "", latency),
}


def render(file: str, part: str, renderer: Callable[[Content], str]) -> str | None:
    """The text of one table, or None if its results are not stored."""
    path = RESULTS / f"{file}.json"
    if not path.is_file():
        return None
    content: Content = json.loads(path.read_text(encoding="utf-8"))
    if part and part not in content:
        return None
    text = renderer(content[part] if part else content)
    return f"{text}\n\n{footer(content)}"


def fill(page: str) -> str:
    """The page with every table that has results filled in."""
    for marker, source in TABLES.items():
        text = render(*source)
        if text is None:
            print(f"no results for: {marker}")
            continue
        begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        block = f"{begin}\n{text}\n{end}"
        page = pattern.sub(lambda _, block=block: block, page)  # type: ignore[misc]
    return page


def main() -> None:
    """Rewrite the pages."""
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
