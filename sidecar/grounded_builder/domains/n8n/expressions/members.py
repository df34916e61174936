"""Lists members that values in expressions have: of JavaScript, luxon and n8n's extensions."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STRING = _words("""
    anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fixed fontcolor
    fontsize includes indexOf isWellFormed italics lastIndexOf length link localeCompare match
    matchAll normalize padEnd padStart repeat replace replaceAll search slice small split
    startsWith strike sub substr substring sup toLocaleLowerCase toLocaleUpperCase toLowerCase
    toString toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart valueOf
""")
_OBJECT = _words("""
    hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
""")
# Members of all other JavaScript values.
_NATIVE = _words("""
    add append apply arguments at bind buffer byteLength byteOffset call caller catch clear
    compile concat copyWithin delete description detached difference dotAll drop entries every
    exec fill filter finally find findIndex findLast findLastIndex flags flat flatMap forEach
    get getAll getDate getDay getFullYear getHours getMilliseconds getMinutes getMonth
    getSeconds getTime getTimezoneOffset getUTCDate getUTCDay getUTCFullYear getUTCHours
    getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds getYear global has hash
    hasIndices host hostname href ignoreCase includes indexOf intersection isDisjointFrom
    isSubsetOf isSupersetOf join keys lastIndexOf length map maxByteLength message multiline
    name origin password pathname pop port protocol push reduce reduceRight resizable resize
    reverse search searchParams set setDate setFullYear setHours setMilliseconds setMinutes
    setMonth setSeconds setTime setUTCDate setUTCFullYear setUTCHours setUTCMilliseconds
    setUTCMinutes setUTCMonth setUTCSeconds setYear shift size slice some sort source splice
    sticky subarray symmetricDifference take test then toArray toDateString toExponential
    toFixed toGMTString toISOString toJSON toLocaleDateString toLocaleTimeString toPrecision
    toReversed toSorted toSpliced toTimeString toUTCString transfer transferToFixedLength
    unicode unicodeSets union unshift username values with
""")
_DATETIME = _words("""
    day daysInMonth daysInYear diff diffNow endOf equals get getPossibleOffsets hasSame hour
    invalidExplanation invalidReason isInDST isInLeapYear isOffsetFixed isValid isWeekend locale
    localWeekday localWeekNumber localWeekYear millisecond minus minute month monthLong
    monthShort numberingSystem offset offsetNameLong offsetNameShort ordinal outputCalendar plus
    quarter reconfigure resolvedLocaleOptions second set setLocale setZone startOf toBSON
    toFormat toHTTP toISO toISODate toISOTime toISOWeekDate toJSDate toJSON toLocal
    toLocaleParts toLocaleString toMillis toObject toRelative toRelativeCalendar toRFC2822
    toSeconds toSQL toSQLDate toSQLTime toString toUnixInteger toUTC until valueOf weekday
    weekdayLong weekdayShort weekNumber weeksInLocalWeekYear weeksInWeekYear weekYear year zone
    zoneName
""")
# Members of luxon's durations and intervals.
_LUXON = _words("""
    abutsEnd abutsStart as contains count days difference divideEqually end engulfs equals get
    hasSame hours intersection invalidExplanation invalidReason isAfter isBefore isEmpty isValid
    lastDateTime length locale mapEndpoints mapUnits milliseconds minus minutes months negate
    normalize numberingSystem overlaps plus quarters reconfigure removeZeros rescale seconds set
    shiftTo shiftToAll splitAt splitBy start toDuration toFormat toHuman toISO toISODate
    toISOTime toJSON toLocaleString toMillis toObject toString union valueOf weeks years
""")
# Members that n8n adds to dates, to texts and to other values.
_DATE_MORE = _words("""
    beginningOf diffTo diffToNow endOfMonth extract format isBetween isDst isEmpty isInLast
    isNotEmpty isWeekend minus plus toBoolean toDateTime toFloat toInt
""")
_TEXT_MORE = _words("""
    base64Decode base64Encode extractDomain extractEmail extractUrl extractUrlPath hash isDomain
    isEmail isEmpty isNotEmpty isNumeric isUrl length parseJson quote removeMarkdown removeTags
    replaceSpecialChars toBoolean toDate toDateTime toDecimalNumber toFloat toInt toJsonString
    toNumber toSentenceCase toSnakeCase toTitleCase toWholeNumber urlDecode urlEncode
""")
_MORE = _words("""
    abs append average ceil chunk compact difference first floor format hasField intersection
    isEmpty isEven isInteger isNotEmpty isOdd keepFieldsContaining keys last max merge
    mergeIntoObject min pluck randomItem removeDuplicates removeField removeFieldsContaining
    renameKeys reverse round smartJoin sum toBoolean toDateTime toFloat toInt toJsonString
    toNumber union unique urlEncode values
""")

# Every member that any value of an expression has.
ALL_MEMBERS = _STRING | _OBJECT | _NATIVE | _DATETIME | _LUXON | _DATE_MORE | _TEXT_MORE | _MORE

# The static members of the globals of expressions and code; DateTime, Duration and Interval are
# luxon's. Functions also have the members of functions.
_FUNCTION = _words("apply bind call length name prototype toString")
_STATIC = {
    "DateTime": """
        buildFormatParser DATE_FULL DATE_HUGE DATE_MED DATE_MED_WITH_WEEKDAY DATE_SHORT
        DATETIME_FULL DATETIME_FULL_WITH_SECONDS DATETIME_HUGE DATETIME_HUGE_WITH_SECONDS
        DATETIME_MED DATETIME_MED_WITH_SECONDS DATETIME_MED_WITH_WEEKDAY DATETIME_SHORT
        DATETIME_SHORT_WITH_SECONDS expandFormat fromFormat fromFormatExplain fromFormatParser
        fromHTTP fromISO fromJSDate fromMillis fromObject fromRFC2822 fromSeconds fromSQL
        fromString fromStringExplain invalid isDateTime length local max min name now
        parseFormatForOpts resetCache TIME_24_SIMPLE TIME_24_WITH_LONG_OFFSET
        TIME_24_WITH_SECONDS TIME_24_WITH_SHORT_OFFSET TIME_SIMPLE TIME_WITH_LONG_OFFSET
        TIME_WITH_SECONDS TIME_WITH_SHORT_OFFSET utc
    """,
    "Duration": """
        fromDurationLike fromISO fromISOTime fromMillis fromObject invalid isDuration length
        name normalizeUnit
    """,
    "Interval": """
        after before fromDateTimes fromISO invalid isInterval length merge name xor
    """,
    "Math": """
        abs acos acosh asin asinh atan atan2 atanh cbrt ceil clz32 cos cosh E exp expm1 f16round
        floor fround hypot imul LN10 LN2 log log10 LOG10E log1p log2 LOG2E max min PI pow random
        round sign sin sinh sqrt SQRT1_2 SQRT2 tan tanh trunc
    """,
    "JSON": """
        isRawJSON parse rawJSON stringify
    """,
    "Object": """
        assign create defineProperties defineProperty entries freeze fromEntries
        getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames
        getOwnPropertySymbols getPrototypeOf groupBy hasOwn is isExtensible isFrozen isSealed
        keys length name preventExtensions seal setPrototypeOf values
    """,
    "Array": """
        from fromAsync isArray length name of
    """,
    "Number": """
        EPSILON isFinite isInteger isNaN isSafeInteger length MAX_SAFE_INTEGER MAX_VALUE
        MIN_SAFE_INTEGER MIN_VALUE name NaN NEGATIVE_INFINITY parseFloat parseInt
        POSITIVE_INFINITY
    """,
    "String": """
        fromCharCode fromCodePoint length name raw
    """,
    "Date": """
        length name now parse UTC
    """,
}

# The exact members of n8n's own objects.
_OWN = {
    "$execution": "customData id mode resumeFormUrl resumeUrl",
    "$()": "all context first isExecuted item itemMatching last pairedItem params",
    "$input": "all context first item last params",
    "$node[]": "binary context data json parameter runIndex",
    "$prevNode": "name outputIndex runIndex",
    "$workflow": "active id name",
}
# n8n's variables whose values are no functions.
# Source: getDataProxy in n8n-workflow, workflow-data-proxy.js, and getAdditionalKeys in n8n-core.
NO_FUNCTIONS = _words("""
    $binary $env $execution $executionId $input $itemIndex $json $mode $node $now $parameter
    $prevNode $runIndex $today $vars $workflow
""")
N8N_MEMBERS: Mapping[str, tuple[str, ...]] = {
    name: tuple(words.split()) for name, words in _OWN.items()
}

MEMBERS: Mapping[str, frozenset[str]] = {
    "a text": _STRING | _OBJECT | _TEXT_MORE | _DATE_MORE,
    "a DateTime": _DATETIME | _OBJECT | _DATE_MORE,
    "a value": ALL_MEMBERS,
    **{name: _words(words) | _FUNCTION | _OBJECT for name, words in _STATIC.items()},
    **{name: _words(words) | _OBJECT for name, words in _OWN.items()},
}

_TO_DATE = _words("endOf minus plus set setLocale setZone startOf toLocal toUTC")
_TO_TEXT = _words("""
    toFormat toHTTP toISO toISODate toISOTime toISOWeekDate toLocaleString toRFC2822 toSQL toSQLDate
    toSQLTime
""")
_SAME_TEXT = _words("""
    padEnd padStart repeat replace replaceAll slice substr substring toLowerCase toUpperCase trim
    trimEnd trimStart
""")
_MAKES_DATE = _words("""
    fromFormat fromHTTP fromISO fromJSDate fromMillis fromObject fromRFC2822 fromSQL fromSeconds
    local now utc
""")
# The kind of value that a call of a member returns, where it is certain.
RETURNED_KINDS: Mapping[str, Mapping[str, str]] = {
    "a DateTime": dict.fromkeys(_TO_DATE, "a DateTime") | dict.fromkeys(_TO_TEXT, "a text"),
    "a text": dict.fromkeys(_SAME_TEXT, "a text"),
    "DateTime": dict.fromkeys(_MAKES_DATE, "a DateTime"),
    "JSON": {"stringify": "a text"},
}
