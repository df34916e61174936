"""Finds MathWorks products by their current and former names and those of licence files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

BASE = "Simulink"

# Names of features in licence files and in the messages of licence managers:
# https://www.mathworks.com/help/matlab/ref/license.html
FEATURES: Mapping[str, str] = {
    "MATLAB": "MATLAB",
    "Simulink": "SIMULINK",
    "Aerospace Blockset": "Aerospace_Blockset",
    "Aerospace Toolbox": "Aerospace_Toolbox",
    "Audio Toolbox": "Audio_System_Toolbox",
    "Automated Driving Toolbox": "Automated_Driving_Toolbox",
    "Communications Toolbox": "Communication_Toolbox",
    "Computer Vision Toolbox": "Video_and_Image_Blockset",
    "Control System Toolbox": "Control_Toolbox",
    "DSP System Toolbox": "Signal_Blocks",
    "Fixed-Point Designer": "Fixed_Point_Toolbox",
    "Fuzzy Logic Toolbox": "Fuzzy_Toolbox",
    "HDL Coder": "Simulink_HDL_Coder",
    "Model Predictive Control Toolbox": "MPC_Toolbox",
    "Motor Control Blockset": "Motor_Control_Blockset",
    "Powertrain Blockset": "Powertrain_Blockset",
    "Robotics System Toolbox": "Robotics_System_Toolbox",
    "ROS Toolbox": "ROS_Toolbox",
    "Signal Processing Toolbox": "Signal_Toolbox",
    "SimEvents": "SimEvents",
    "Simscape": "Simscape",
    "Simscape Battery": "Simscape_Battery",
    "Simscape Driveline": "SimDriveline",
    "Simscape Electrical": "Power_System_Blocks",
    "Simscape Fluids": "SimHydraulics",
    "Simscape Multibody": "SimMechanics",
    "Simulink 3D Animation": "Virtual_Reality_Toolbox",
    "Simulink Coder": "Real-Time_Workshop",
    "Simulink Control Design": "Simulink_Control_Design",
    "Simulink Design Optimization": "Simulink_Design_Optim",
    "Simulink Design Verifier": "Simulink_Design_Verifier",
    "Simulink Desktop Real-Time": "Real-Time_Win_Target",
    "Simulink Real-Time": "XPC_Target",
    "Simulink Test": "Simulink_Test",
    "SoC Blockset": "SoC_Blockset",
    "Stateflow": "Stateflow",
    "System Identification Toolbox": "Identification_Toolbox",
    "Vehicle Dynamics Blockset": "Vehicle_Dynamics_Blockset",
    "Vehicle Network Toolbox": "Vehicle_Network_Toolbox",
}
# Names of products in earlier releases.
_FORMER: Mapping[str, str] = {
    "Audio System Toolbox": "Audio Toolbox",
    "Automated Driving System Toolbox": "Automated Driving Toolbox",
    "Communications Blockset": "Communications Toolbox",
    "Communications System Toolbox": "Communications Toolbox",
    "Computer Vision System Toolbox": "Computer Vision Toolbox",
    "Real-Time Windows Target": "Simulink Desktop Real-Time",
    "Real-Time Workshop": "Simulink Coder",
    "Signal Processing Blockset": "DSP System Toolbox",
    "SimDriveline": "Simscape Driveline",
    "SimElectronics": "Simscape Electrical",
    "SimHydraulics": "Simscape Fluids",
    "SimMechanics": "Simscape Multibody",
    "SimPowerSystems": "Simscape Electrical",
    "Simscape Electronics": "Simscape Electrical",
    "Simscape Power Systems": "Simscape Electrical",
    "Simulink Fixed Point": "Fixed-Point Designer",
    "Simulink HDL Coder": "HDL Coder",
    "Simulink Response Optimization": "Simulink Design Optimization",
    "Video and Image Processing Blockset": "Computer Vision Toolbox",
    "Virtual Reality Toolbox": "Simulink 3D Animation",
    "xPC Target": "Simulink Real-Time",
}
# Products that extend Simscape require it: https://www.mathworks.com/products/simscape.html
_OF_SIMSCAPE = frozenset(
    {
        "Simscape Battery",
        "Simscape Driveline",
        "Simscape Electrical",
        "Simscape Fluids",
        "Simscape Multibody",
    }
)
_MARKS = re.compile(r"[\s_-]+")


def _plain(name: str) -> str:
    return _MARKS.sub(" ", name).strip().casefold()


_NAMED: dict[str, str] = {
    **{_plain(feature): product for product, feature in FEATURES.items()},
    **{_plain(former): product for former, product in _FORMER.items()},
    **{_plain(product): product for product in FEATURES},
}
# The longest name comes first: "Simscape Electrical" must not match "Simscape".
_MENTION = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(
        re.escape(name).replace(r"\ ", r"[\s_-]+") for name in sorted(_NAMED, key=len, reverse=True)
    )
    + r")(?![\w-])",
    re.IGNORECASE,
)


def find_product(name: str) -> str:
    """Returns the current product of a name; an unknown name is returned unchanged."""
    text = " ".join(name.split())
    return _NAMED.get(_plain(text), text)


def find_products(names: Iterable[str]) -> frozenset[str]:
    """Returns the products of names and those that they extend, always with Simulink."""
    named = {find_product(name) for name in names if name.strip()}
    extended = set() if named.isdisjoint(_OF_SIMSCAPE) else {"Simscape"}
    return frozenset({BASE, *named, *extended})


def find_mentioned_products(text: str) -> tuple[str, ...]:
    """Returns the products that a text names, by any of their names, in its order."""
    results = (_NAMED[_plain(match[0])] for match in _MENTION.finditer(text))
    return tuple(dict.fromkeys(results))
