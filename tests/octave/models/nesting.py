"""Models with diagrams inside of diagrams, and with names that need care."""

from __future__ import annotations

from tests.octave.models.drafts import Plan

NESTED: list[Plan] = [
    {
        "version": 1,
        "goal": "a controller in its own diagram",
        "steps": [
            {"id": "ref", "tool": "Step"},
            {"id": "box", "tool": "Subsystem", "inputs": ["ref"]},
            {"id": "u", "tool": "In1", "in": "box", "inputs": []},
            {"id": "gain", "tool": "Gain", "in": "box", "params": {"Gain": "5"}, "inputs": ["u"]},
            {"id": "y", "tool": "Out1", "in": "box", "inputs": ["gain"]},
            {"id": "view", "tool": "Scope", "inputs": ["box"]},
        ],
    },
    {
        "version": 1,
        "goal": "names that need care",
        "steps": [
            {
                "id": "a",
                "tool": "Constant",
                "action": "10 m/s: it's 'fast'",
                "params": {"Value": "10"},
            },
            {"id": "b", "tool": "Gain", "action": "Größe \u00d7 2", "params": {"Gain": "2"}},
            {"id": "c", "tool": "Display", "remarks": "look\nhere"},
        ],
    },
    {"version": 1, "goal": "one block", "steps": [{"id": "s", "tool": "Scope"}]},
]
