"""Sketch a plan of a request: blocks that it names, joined as its words say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.sanitize import shorten_gaps
from grounded_builder.domains.simulink.keyword_plan.buses import (
    name_signals,
    names_of_signals,
    selected,
)
from grounded_builder.domains.simulink.keyword_plan.cascaded_loops import apart
from grounded_builder.domains.simulink.keyword_plan.conditions import conditions_of
from grounded_builder.domains.simulink.keyword_plan.coreference import counted
from grounded_builder.domains.simulink.keyword_plan.coverage import clauses
from grounded_builder.domains.simulink.keyword_plan.equation_systems import told_by_equations
from grounded_builder.domains.simulink.keyword_plan.filters import ordered
from grounded_builder.domains.simulink.keyword_plan.find_blocks import mentions_of
from grounded_builder.domains.simulink.keyword_plan.implied_sources import supplied
from grounded_builder.domains.simulink.keyword_plan.integrator_chains import Integrals, Motion
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon, lexicon_for
from grounded_builder.domains.simulink.keyword_plan.loops import Loop, asks_for_loop, junctions
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.networks import Network
from grounded_builder.domains.simulink.keyword_plan.normalize_text import spelling_of
from grounded_builder.domains.simulink.keyword_plan.numeric_parameters import Settings
from grounded_builder.domains.simulink.keyword_plan.open_ends import tell_open_ends
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder, Step
from grounded_builder.domains.simulink.keyword_plan.signal_flow import Chain
from grounded_builder.domains.simulink.keyword_plan.simulation_settings import run_of
from grounded_builder.domains.simulink.keyword_plan.sinks_and_sensors import logged, verbs_of_seeing
from grounded_builder.domains.simulink.keyword_plan.text import Text, text_of

_LONGEST = 6_000
_LONGEST_GOAL = 300
_MOST = 60
_MEASURING = re.compile(r"measur", re.IGNORECASE)


def plan_from_request(request: str, registry: Registry) -> Mapping[str, Any]:
    """A plan of the blocks that a request names.

    Parts of the request that name no block are left as clauses without steps.
    """
    request = shorten_gaps(request)
    spelling = spelling_of(request[:_LONGEST], registry)
    text = text_of(spelling.text)
    run = run_of(text)
    text = text.without(run.taken, words=True)
    lexicon = lexicon_for(text.request, [word.text for word in text.words], registry)
    told = told_by_equations(text, lexicon)
    text = text.without(told.taken)
    conditions = conditions_of(text, lexicon)
    text = text.without(conditions.taken)
    told.mentions += conditions.mentions
    mentions, named = mentions_of(
        text, lexicon, told.mentions, [*conditions.taken, *junctions(text)]
    )
    counts = counted(mentions, text)
    named += counts
    text, missed = apart(text.without(counts), mentions, named)
    mentions += logged(text, mentions, lexicon, named)
    mentions.sort(key=lambda one: one.start)
    del mentions[_MOST:]
    supply = supplied(text, mentions, lexicon)
    if supply is not None:
        mentions.append(supply[0])
        mentions.sort(key=lambda one: one.start)
        named.append(supply[2])
        text = replace(text, quantities=tuple(q for q in text.quantities if q != supply[1]))
    settings = Settings(text, mentions, named, lexicon)
    settings.settle()
    taken = [*run.taken, *ordered(text, mentions, lexicon)]
    formulas = ((formula.start, formula.end) for formula in text.formulas)
    taken += [*named, *settings.taken, *told.taken, *formulas]
    signals = names_of_signals(text, mentions)
    chosen = list(selected(text, lexicon, signals))
    mentions += chosen
    taken += [(one.start, one.end) for one in chosen]
    mentions += _seen(text, mentions, lexicon, taken, drawn=bool(told.motions))
    drawing = SketchBuilder()
    mentions.sort(key=lambda one: one.start)
    _draw(text, mentions, lexicon, drawing, told.motions)
    name_signals(drawing, signals)
    tell_open_ends(drawing, lexicon)
    steps = _ordered(drawing)
    for note in spelling.notes if steps else ():
        drawing.note(steps[0]["id"], note)
    return {
        "version": 1,
        "goal": " ".join(request.split())[:_LONGEST_GOAL],
        "steps": steps,
        **({"model": {"settings": run.settings}} if run.settings else {}),
        "metadata": {
            "clauses": [
                *clauses(
                    text,
                    drawing.places,
                    [*taken, *drawing.spans],
                    _names(drawing, registry),
                    missed,
                ),
                *({"clause": one, "steps": []} for one in [request[_LONGEST:].strip()] if one),
            ],
            "open": [{"step": step, "text": said} for step, said in drawing.notes],
        },
    }


def _names(drawing: SketchBuilder, registry: Registry) -> list[str]:
    return [registry.tools[step["tool"]].name for step in drawing.steps]


def _shows(one: Mention, lexicon: Lexicon) -> bool:
    """Whether a block is a sink at which a signal may be looked at."""
    ends = one.spec.name in ("Stop Simulation", "Terminator") or one.role == "kept"
    return lexicon.is_sink(one.tool) and not ends


def _seen(
    text: Text,
    mentions: list[Mention],
    lexicon: Lexicon,
    taken: list[tuple[int, int]],
    *,
    drawn: bool,
) -> list[Mention]:
    """A sink for each sentence that asks to look at a signal and names none."""
    found: list[Mention] = []
    for start, end, name in verbs_of_seeing(text):
        begin, until = text.sentence(start)
        taken.append((start, end))
        if _MEASURING.match(text.request[start:end]) and not lexicon.physical:
            continue
        known = [one for one in (*mentions, *found) if begin <= one.start < until]
        if any(_shows(one, lexicon) for one in known) or not (mentions or drawn):
            continue
        if any(one.start <= start < one.end for one in mentions):
            continue
        (tool,) = lexicon.meant(name)
        found.append(Mention(tool, lexicon.spec(tool), start, end))
    return found


def _draw(
    text: Text,
    mentions: list[Mention],
    lexicon: Lexicon,
    drawing: SketchBuilder,
    motions: Sequence[Motion],
) -> None:
    elements = [one for one in mentions if lexicon.is_element(one.tool)]
    signals = [one for one in mentions if one not in elements]
    network = Network(text, lexicon, drawing)
    loops = asks_for_loop(text, signals, network=bool(elements or motions))
    if elements:
        driven = loops or any(lexicon.is_source(signal.tool) for signal in signals)
        network.draw(elements, driven=driven, controlled=loops)
    integrals = Integrals(lexicon, drawing)
    integrals.draw(motions)
    network.inputs += integrals.inputs
    network.outputs += integrals.outputs.values()
    chain = Chain(text, lexicon, drawing)
    if loops:
        loop = Loop(text, lexicon, drawing)
        plant = (
            (network.inputs.pop(0), network.outputs[0])
            if network.inputs and network.outputs
            else None
        )
        signals = loop.draw(signals, plant)
        chain.loose.append(loop.output)
        chain.last = loop.output
        chain.error = loop.error
    sinks = [signal for signal in signals if lexicon.is_sink(signal.tool)]
    if network.inputs or network.outputs:
        chain.lead([signal for signal in signals if signal not in sinks])
        _fed(network, chain, drawing)
        for output in network.outputs:
            if output not in chain.loose:
                chain.offer(output)
        chain.lead(sinks)
    else:
        chain.lead(signals)


def _fed(network: Network, chain: Chain, drawing: SketchBuilder) -> None:
    """Lead the signals of a request into its networks, each into one."""
    for step in network.inputs:
        if chain.loose:
            step["inputs"].insert(0, chain.loose.pop(0))
        else:
            drawing.note(step["id"], "what drives the input of the model is not told")


def _ordered(drawing: SketchBuilder) -> list[Step]:
    """The steps so that each follows what leads into it, else as they were drawn."""
    left = list(drawing.steps)
    done: set[str] = set()
    ordered: list[Step] = []
    while left:
        ready = next((one for one in left if _sources(one) <= done), left[0])
        left.remove(ready)
        done.add(ready["id"])
        ordered.append(ready)
    return ordered


def _sources(step: Step) -> set[str]:
    names = {
        one if isinstance(one, str) else one["from"]
        for one in step["inputs"]
        if isinstance(one, str) or not one.get("back")
    }
    return names | ({step["in"]} if "in" in step else set())
