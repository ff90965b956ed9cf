"""Hypothesis profiles: deterministic; with DPDTREE_EXPLORE set, fresh examples."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile(
    "explore",
    derandomize=False,
    deadline=None,
    max_examples=1000,
    database=None,
    suppress_health_check=SLOW,
)
settings.load_profile("explore" if "DPDTREE_EXPLORE" in os.environ else "deterministic")
