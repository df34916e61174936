"""Makes small model files in each file format."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_INFORMATION = '<?xml version="1.0" encoding="utf-8"?>\n<ModelInformation Version="{version}">\n'
_PROPERTIES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>'
    '<mwcoreProperties xmlns="http://schemas.mathworks.com/package/2012/coreProperties">'
    "<matlabRelease>{release}</matlabRelease></mwcoreProperties>"
)
_PART = "__MWOPC_PART_BEGIN__ /{name}\n{content}\n"

# A sine through a gain inside a subsystem to a scope and a terminator.
ROOT = """\
<Block BlockType="Sin" Name="Sine" SID="1">
  <P Name="Position">[30, 30, 60, 60]</P>
  <P Name="Frequency">10</P>
</Block>
<Block BlockType="SubSystem" Name="Inner" SID="2">
  <P Name="Ports">[1, 1]</P>
  <P Name="Position">[110, 30, 170, 60]</P>
  {inner}
</Block>
<Block BlockType="Scope" Name="Scope" SID="6">
  <P Name="Ports">[1]</P>
  <P Name="Position">[220, 30, 250, 60]</P>
</Block>
<Block BlockType="Terminator" Name="End" SID="7">
  <P Name="Position">[220, 90, 240, 110]</P>
</Block>
<Line><P Name="Name">angle</P><P Name="Src">1#out:1</P><P Name="Dst">2#in:1</P></Line>
<Line>
  <P Name="Src">2#out:1</P>
  <P Name="Points">[20, 0]</P>
  <Branch><P Name="Dst">6#in:1</P></Branch>
  <Branch><P Name="Points">[0, 55]</P><P Name="Dst">7#in:1</P></Branch>
</Line>
"""
INNER = """\
<Block BlockType="Inport" Name="In" SID="3"><P Name="Position">[30, 30, 60, 44]</P></Block>
<Block BlockType="Gain" Name="a/b&#xA;&quot;c&quot; \u00e4" SID="4">
  <P Name="Position">[100, 30, 130, 60]</P>
  <P Name="Gain">2</P>
</Block>
<Block BlockType="Outport" Name="Out" SID="5"><P Name="Position">[200, 30, 230, 44]</P></Block>
<Line><P Name="Src">3#out:1</P><P Name="Dst">4#in:1</P></Line>
<Line><P Name="Src">4#out:1</P><P Name="Dst">5#in:1</P></Line>
"""

# The same model in the classic text format.
CLASSIC = """\
Model {
  Name        "servo"
  Version      8.4
  SavedCharacterEncoding  "UTF-8"
  Solver      "ode45"
  BlockParameterDefaults {
    Block {
      BlockType          Gain
      Gain          "1"
    }
  }
  System {
    Name        "servo"
    Block {
      BlockType          Sin
      Name          "Sine"
      SID          "1"
      Position          [30, 30, 60, 60]
      Frequency          "10"
    }
    Block {
      BlockType          SubSystem
      Name          "Inner"
      SID          "2"
      Ports          [1, 1]
      Position          [110, 30, 170, 60]
      System {
  Name      "Inner"
  Block {
    BlockType      Inport
    Name        "In"
    SID        "3"
    Position      [30, 30, 60, 44]
  }
  Block {
    BlockType      Gain
    Name        "a/b\\n\\"c\\" \u00e4"
    SID        "4"
    Position      [100, 30, 130, 60]
    Gain        "2"
  }
  Block {
    BlockType      Outport
    Name        "Out"
    SID        "5"
    Position      [200, 30, 230, 44]
  }
  Line {
    SrcBlock      "In"
    SrcPort      1
    DstBlock      "a/b\\n\\"c\\" "
"\u00e4"
    DstPort      1
  }
  Line {
    SrcBlock      "a/b\\n\\"c\\" \u00e4"
    SrcPort      1
    DstBlock      "Out"
    DstPort      1
  }
      }
    }
    Block {
      BlockType          Scope
      Name          "Scope"
      SID          "6"
      Ports          [1]
      Position          [220, 30, 250, 60]
    }
    Block {
      BlockType          Terminator
      Name          "End"
      SID          "7"
      Position          [220, 90, 240, 110]
    }
    Line {
      Name          "angle"
      SrcBlock          "Sine"
      SrcPort          1
      DstBlock          "Inner"
      DstPort          1
    }
    Line {
      SrcBlock          "Inner"
      SrcPort          1
      Points          [20, 0]
      Branch {
  DstBlock    "Scope"
  DstPort      1
      }
      Branch {
  Points      [0, 55]
  DstBlock    "End"
  DstPort      1
      }
    }
  }
}
"""


def pack_files(files: Mapping[str, str | bytes]) -> bytes:
    """Returns a zip package of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def diagram(blocks: str, version: str = "1.0", kind: str = "Model") -> str:
    """Returns the main file of a package, with the content of one diagram."""
    inner = f"<{kind}><System>\n{blocks}</System></{kind}>\n</ModelInformation>\n"
    return _INFORMATION.format(version=version) + inner


def make_single_file_package(release: str = "R2014a") -> dict[str, str]:
    """Returns the layout of R2012b to R2019a: all diagrams in one file."""
    inner = f"<System>{INNER}</System>"
    return {
        "metadata/mwcoreProperties.xml": _PROPERTIES.format(release=release),
        "simulink/blockdiagram.xml": diagram(ROOT.format(inner=inner), "0.9"),
    }


def make_split_package(release: str = "R2026a") -> dict[str, str]:
    """Returns the layout of later releases: a file for each diagram, port counts as elements."""
    root = ROOT.format(inner='<System Ref="system_2"/>')
    for vector, counts in (("[1, 1]", 'in="1" out="1"'), ("[1]", 'in="1"')):
        root = root.replace(f'<P Name="Ports">{vector}</P>', f"<PortCounts {counts}/>")
    return {
        "metadata/mwcoreProperties.xml": _PROPERTIES.format(release=release),
        "simulink/blockdiagram.xml": _INFORMATION.format(version="1.0")
        + '<Model><System Ref="system_root"/></Model></ModelInformation>',
        "simulink/systems/system_root.xml": f"<System>{root}</System>",
        "simulink/systems/system_2.xml": f"<System>{INNER}</System>",
    }


def pack_as_text(files: Mapping[str, str]) -> bytes:
    """Returns the same package as text, as in ``.mdl`` files of later releases."""
    parts = "".join(_PART.format(name=name, content=content) for name, content in files.items())
    head = "# MathWorks OPC Text Package\nModel {\n  Version  10.4\n}\n"
    whole = f"{head}__MWOPC_PACKAGE_BEGIN__ R2024a\n{parts}__MWOPC_PACKAGE_END__\n"
    return whole.encode()
