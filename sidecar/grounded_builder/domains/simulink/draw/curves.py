"""Defines the curves in the icons of blocks as coordinates."""

from __future__ import annotations

from collections.abc import Mapping

_TABLE = ((0.1, 0.15), (0.4, 0.45), (0.6, 0.5), (0.9, 0.85))
_NOISE = (
    (0.05, 0.5),
    (0.15, 0.8),
    (0.25, 0.3),
    (0.35, 0.6),
    (0.45, 0.1),
    (0.55, 0.7),
    (0.65, 0.4),
    (0.75, 0.9),
    (0.85, 0.2),
    (0.95, 0.5),
)
# Curves in a unit square with y upwards.
CURVES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "Step": ((0.1, 0.2), (0.45, 0.2), (0.45, 0.8), (0.9, 0.8)),
    "Ramp": ((0.1, 0.2), (0.35, 0.2), (0.9, 0.85)),
    "Saturate": ((0.1, 0.2), (0.35, 0.2), (0.65, 0.8), (0.9, 0.8)),
    "DeadZone": ((0.1, 0.15), (0.35, 0.5), (0.65, 0.5), (0.9, 0.85)),
    "Relay": ((0.1, 0.2), (0.6, 0.2), (0.6, 0.8), (0.9, 0.8), (0.4, 0.8), (0.4, 0.2)),
    "Quantizer": ((0.1, 0.1), (0.35, 0.1), (0.35, 0.5), (0.65, 0.5), (0.65, 0.9), (0.9, 0.9)),
    "DiscretePulseGenerator": (
        (0.1, 0.2),
        (0.25, 0.2),
        (0.25, 0.8),
        (0.45, 0.8),
        (0.45, 0.2),
        (0.65, 0.2),
        (0.65, 0.8),
        (0.85, 0.8),
        (0.85, 0.2),
        (0.95, 0.2),
    ),
    "RateLimiter": ((0.1, 0.15), (0.9, 0.85)),
    "Lookup": _TABLE,
    "Lookup_n-D": _TABLE,
    "Lookup2D": _TABLE,
    "RandomNumber": _NOISE,
    "UniformRandomNumber": _NOISE,
    "ZeroOrderHold": (
        (0.1, 0.2),
        (0.35, 0.2),
        (0.35, 0.5),
        (0.6, 0.5),
        (0.6, 0.8),
        (0.9, 0.8),
    ),
    "TransportDelay": ((0.1, 0.2), (0.5, 0.2), (0.9, 0.8)),
    "TriggerPort": ((0.25, 0.15), (0.5, 0.15), (0.5, 0.85), (0.75, 0.85)),
}
