"""Prints the number of outputs in real models whose type, shape and rate are known.

``python -m evals.simulink_faults.known_signals``
"""

from __future__ import annotations

from collections import Counter

from evals.simulink_faults.injection import read_real_models
from grounded_builder.domains.simulink.analysis.model_view import build_view
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.analysis.propagation import Signals, propagate_signals
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from tests.support.simulink_models import resolve_model

_PARTS = ("type", "shape", "rate")


def main() -> None:
    """Prints the number and share of outputs for which each part is known."""
    total: Counter[str] = Counter()
    for document in read_real_models().values():
        total.update(_count_known(propagate_signals(Flow(build_view(resolve_model(document))))))
    shares = [f"{part} {total[part]} ({total[part] / total['all']:.0%})" for part in _PARTS]
    print(f"{total['all']} outputs: " + ", ".join(shares))


def _count_known(signals: Signals) -> Counter[str]:
    """Counts the known parts of all outputs except buses and the inputs of subsystems."""
    result: Counter[str] = Counter()
    for item in signals.sources:
        if item.type == "BusCreator" or (item.type == "Inport" and item.diagram.owner is not None):
            continue
        for index in range(1, (count_ports(item) or {}).get("out", 0) + 1):
            signal = signals.of((item, index))
            result.update(["all", *(part for part in _PARTS if getattr(signal, part) is not None)])
    return result


if __name__ == "__main__":
    main()
