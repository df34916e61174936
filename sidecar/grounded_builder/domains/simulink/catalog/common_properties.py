"""Lists the common properties of blocks, and determines which of them Simulink runs as code."""

from __future__ import annotations

import re

# "Common Block Properties" of the Simulink documentation, and properties of links and masks in
# files.
PROPERTIES: frozenset[str] = frozenset(
    """
    AncestorBlock AttributesFormatString BackgroundColor BlockDescription BlockMirror BlockRotation
    ClipboardFcn CloseFcn Commented ContentPreviewEnabled ContinueFcn CopyFcn DeleteChildFcn
    DeleteFcn Description DestroyFcn DropShadow ErrorFcn FontAngle FontName FontSize FontWeight
    ForegroundColor HideAutomaticName InitFcn LibrarySourceProduct LibraryVersion LinkData
    LinkStatus LoadFcn MaskCallbackString MaskCallbacks MaskDescription MaskDisplay
    MaskEnableString MaskHelp MaskHideContents MaskIconFrame MaskIconOpaque MaskIconRotate
    MaskIconUnits MaskInitialization MaskPortRotate MaskPromptString MaskRunInitForIconRedraw
    MaskSelfModifiable MaskStyleString MaskTabNameString MaskToolTipString MaskToolTipsDisplay
    MaskTunableValueString MaskType MaskValueString MaskVarAliasString MaskVariables
    MaskVisibilityString ModelCloseFcn MoveFcn Name NameChangeFcn NameLocation NamePlacement OpenFcn
    Orientation ParentCloseFcn PauseFcn PortRotationType Ports Position PostSaveFcn PreCopyFcn
    PreDeleteFcn PreSaveFcn Priority RTWdata RequirementInfo SID Selected ShowName
    SourceProductBaseCode SourceProductName SourceType StartFcn StatePerturbationForJacobian
    StopFcn Tag UndoDeleteFcn UserData UserDataPersistent ZOrder
    """.split()
)
# Properties that files keep for internal use, such as those of linked Simscape blocks.
INTERNAL: frozenset[str] = frozenset(
    """
    SourceFile ComponentPath ComponentVariants ComponentVariantNames ClassName SchemaVersion
    InternalSimscapePortConfiguration SscBlockScalableBuild LogSimulationData
    SimscapeInstrumentationLogging SimscapeInstrumentationVariables MultiThreadCoSim
    MultithreadedSim SFcnIsStateOwnerBlock ContentPreviewEnabled ShowPortLabels NameLocation
    AttributesFormatString FunctionWithSeparateData SystemSampleTime RTWMemSecFuncInitTerm
    RTWMemSecFuncExecute RTWMemSecDataConstants RTWMemSecDataInternal RTWMemSecDataParameters
    GeneratePreprocessorConditionals LabelModeActiveChoice LibrarySourceBlock DisableCoverage
    VariantControl LockScale ScopeSpecificationString
    """.split()
)

_RUN = re.compile(
    r"\w+(Fcn|Command|Callback|Script)|Mask(CallbackString|Callbacks|Display|Initialization)"
)
# Settings whose names end so and whose value is a switch, a pattern of names such as ``$R$N$M$F``,
# or the marker of a chart.
_IDLE = re.compile(r"|on|off|\w*\$[\w$]*|Stateflow\.Translate\.translate")


def is_code(name: str, value: str) -> bool:
    """Returns whether Simulink runs the value of a property or setting of this name."""
    return _RUN.fullmatch(name) is not None and _IDLE.fullmatch(value) is None
