"""Blend rules by name: what files, specs and the command line call them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mocapella.blending.baselines import approximate_blend, naive_blend, series_blend
from mocapella.blending.lively import lively_blend
from mocapella.blending.rules import BlendRule, between_blend, phasor_blend, streamlined_blend, unit_blend
from mocapella.errors import NetworkError

# Rules are functions; these are the ones that have a name outside the program.
RULES: Mapping[str, BlendRule] = MappingProxyType(
    {
        "lively": lively_blend,
        "phasor": phasor_blend,
        "streamlined": streamlined_blend,
        "unit": unit_blend,
        "naive": naive_blend,
        "series": series_blend,
        "approximate": approximate_blend,
        "between": between_blend(0.5),
    }
)


def rule_name(rule: BlendRule) -> str:
    """What a blend rule is called in files; ``NetworkError`` where it has no name."""
    for name, known in RULES.items():
        if known is rule:
            return name
    raise NetworkError(f"a rule made by hand cannot be stored; those with a name are {', '.join(RULES)}")


def refuse_no_rule(rule: object) -> None:
    """What cannot be called mixes nothing, not even if it is the name of a rule."""
    if not callable(rule):
        raise NetworkError(
            f"expected a function that mixes harmonics, such as mocapella.blending.rules.phasor_blend, got {rule!r}; "
            f"RULES of mocapella.blending.rule_names has {', '.join(RULES)}"
        )
