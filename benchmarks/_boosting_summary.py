"""The measurements of boosting in a few sentences, for the guide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Facts = Mapping[str, Any]
OURS = ("light", "None")


def quality(content: Facts) -> str:
    """One bullet for each comparison of `benchmarks.boosting_quality`."""
    bullets = [_depth3(content), _equal(content), _many(content), _tuned(content)]
    return "\n".join(f"- {bullet}" for bullet in bullets)


def speed(content: Facts) -> str:
    """Time per tree and for prediction, as parts of LightGBM's."""
    one, two = (
        ", ".join(
            f"{content['summary'][f'{model}, {n} thread(s)']['cpu']:.2f}"
            for model in ("None", "light", "strong")
        )
        for n in (1, 2)
    )
    seconds = content["tables"]["prediction, 1 thread(s)"]
    prediction = seconds["ours"]["cpu"] / seconds["LightGBM"]["cpu"]
    return (
        "- Processor time per tree, mean of four sets, with `None`, `light` and"
        f" `strong`: {one} of LightGBM's with one thread, {two} with two threads each."
        f" Prediction takes {prediction:.2f} of LightGBM's."
    )


def _depth3(content: Facts) -> str:
    facts = content["depth3"]["summary"]
    wins = " and ".join(
        f"{model} on {duel['wins']}" for model, duel in facts["duels"].items()
    )
    return (
        f"Trees of depth 3, {_sets(content['depth3'])}: dynamic programming has the"
        f" lower test loss: {wins} against greedy trees. Mean ranks: {_ranks(facts)}."
    )


def _equal(content: Facts) -> str:
    against = {
        "LightGBM": content["equal"]["summary"]["duels"],
        "XGBoost": content["equal"]["against XGBoost"]["duels"],
    }
    wins = "; ".join(
        f"`{model}` is better than "
        + " and ".join(f"{peer} on {d[model]['wins']}" for peer, d in against.items())
        for model in OURS
    )
    return (
        f"{content['settings']['trees']} trees of 31 leaves,"
        f" {_sets(content['equal'])}, everything else the libraries' defaults: {wins}."
        f" Mean ranks: {_ranks(content['equal']['summary'])}. Part of that is the"
        " default penalty of leaf values, not the look-ahead."
    )


def _many(content: Facts) -> str:
    duels = content["many"]["summary"]["duels"]
    wins = ", ".join(f"`{m}` on {duels[m]['wins']}" for m in ("strong", *OURS))
    return (
        f"With more rows ({_sets(content['many'])}, 14 000 to 30 000 rows): better than"
        f" LightGBM: {wins}."
    )


def _tuned(content: Facts) -> str:
    limits = content["tuned"]["summary"]
    parts = [
        f"`{model}` on "
        + ", ".join(
            f"{limits[limit]['duels'][model]['wins']} {text}"
            for limit, text in (
                ("half", "in half of LightGBM's time"),
                ("same", "in its time"),
                ("free", "without a limit"),
            )
        )
        for model in OURS
    ]
    return (
        f"All tuned by the same random search ({_sets(content['tuned'])}, at most 5000"
        f" rows): better than LightGBM {'; '.join(parts)}."
    )


def _sets(part: Facts) -> str:
    facts = part["summary"]
    number = facts["sets"] if "sets" in facts else facts["free"]["sets"]
    splits = " to ".join(map(str, sorted({min(part["splits"]), max(part["splits"])})))
    return f"{number} sets with {splits} split{'s' if splits != '1' else ''} each"


def _ranks(facts: Facts) -> str:
    ranks = sorted(facts["mean_rank"].items(), key=lambda entry: entry[1])
    return ", ".join(f"{model} {rank:.1f}" for model, rank in ranks)
