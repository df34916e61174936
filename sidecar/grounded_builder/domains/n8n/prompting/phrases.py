"""Maps phrases such as "every day" to n8n nodes; lists default triggers and always shown nodes."""

from __future__ import annotations

import re

from grounded_builder.ir.domain import PhraseRule, ReadPhrase

_BASE = "n8n-nodes-base."
_CHAIN = "@n8n/n8n-nodes-langchain."
_UNIT = r"(?:minute|hour|day|week|month)s?"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"

_AI = r"(?:AI|LLM|(?:chat ?)?GPT(?:-?\d\S*)?|openai|claude|gemini)"
_BY = r"\b(?:with|by|using|uses?|via|through|and) "

# Words for a decision or an answer of a person before the workflow continues.
REVIEW = re.compile(
    r"\b(?:approv\w*|confirm\w*|declin\w*|reject\w*|sign[- ]?off|permission|consent\w*"
    r"|human[- ](?:in[- ]the[- ]loop|review\w*|check\w*|decision)|yes(?: or |/)no"
    r"|(?:his|her|their|my|our|your|an?) (?:ok|okay|go-ahead|decision|verdict)"
    r"|wait\w* (?:for|until|till) (?:\w+ ){0,3}"
    r"(?:answer|repl|respon|decid|decision|click|agree|feedback)\w*"
    r"|ask\w* (?:\w+ ){1,4}(?:if|whether|before)"
    r"|freigabe\w*|freigeb\w*|genehmig\w*|bestätig\w*|zustimm\w*|ablehn\w*"
    r"|aprob\w*|aprueb\w*|rechaz\w*|autori[sz]\w*|approuv\w*|refus\w*"
    r"|aprov\w*|goedkeur\w*|akkoord)\b",
    re.IGNORECASE,
)

# Each row maps an everyday phrase to an n8n node; the first match in a clause wins.
CUES: tuple[PhraseRule, ...] = (
    PhraseRule(
        rf"\b(?:every|each)\s+(?:\d+\s+|other\s+)?(?:{_UNIT}|{_DAY}|morning|evening|night)\b"
        rf"|\b(?:hourly|daily|weekly|monthly|nightly|cron|on a schedule|scheduled)\b",
        f"{_BASE}scheduleTrigger",
        starts=True,
    ),
    PhraseRule(
        r"\bform\b.*\b(?:submi\w+|filled|sent)|\b(?:submi\w+|fill\w*)\b.*\bform\b|\bform"
        r" triggers?\b"
        r"|\b(?:via|from|using|through|with|by|n8n|web|contact|online|intake|sign-?up"
        r"|registration)"
        r" (?:an? |the )?(?:[\w-]+ )?forms?\b(?! fields?)|\bforms? inputs?\b",
        f"{_BASE}formTrigger",
        starts=True,
    ),
    PhraseRule(
        r"\bwebhook|\bhttp (?:call|request) (?:arrives|comes)", f"{_BASE}webhook", starts=True
    ),
    PhraseRule(
        r"\bchat (?:message|input|trigger)|\bchatbot\b|^chat(?:ting)? with\b|\bask questions\b",
        f"{_CHAIN}chatTrigger",
        starts=True,
    ),
    PhraseRule(
        r"\b(?:workflow|execution)s? (?:fails?|errors?|failures?|crash(?:es)?|breaks?)"
        r"|\b(?:on|when an?) errors?\b",
        f"{_BASE}errorTrigger",
        starts=True,
    ),
    PhraseRule(
        r"\b(?:new|incoming) e-?mails?\b|\be-?mails? (?:arrives?|comes?|is received)"
        r"|\b(?:get|receive) an? e-?mail\b",
        f"{_BASE}emailReadImap",
        starts=True,
    ),
    PhraseRule(r"\bMCP servers?\b", f"{_CHAIN}mcpTrigger", starts=True),
    PhraseRule(
        r"\bsub-?workflows?\b|\b(?:called|executed|triggered|invoked) (?:by|from)"
        r" (?:an?other|the main|a parent) "
        r"workflow\b|\bexecute workflow trigger\b",
        f"{_BASE}executeWorkflowTrigger",
        starts=True,
    ),
    PhraseRule(
        r"\b(?:manually|by hand|on click|on demand|when clicking|manuell|von hand|auf knopfdruck"
        r"|manuellement|à la main|manualmente|a mano)\b",
        f"{_BASE}manualTrigger",
        starts=True,
    ),
    PhraseRule(r"\b(?:ai |llm )?agents?\b|\bassistant\b|\bchatbot\b", f"{_CHAIN}agent"),
    PhraseRule(
        r"\b(?:summari[sz]e|classify|translate|rewrite)\b.*\b(?:ai|gpt|llm|openai)\b"
        r"|\b(?:ai|gpt|llm|openai)\b.*\b(?:summari[sz]\w*|classif\w*|translat\w*|rewrit\w*)\b",
        f"{_CHAIN}chainLlm",
    ),
    PhraseRule(
        rf"\bAI[- ](?:powered|driven|based|generated|model)\b|{_BY}(?:an? )?{_AI}\b",
        f"{_CHAIN}agent",
    ),
    PhraseRule(rf"^{_AI}\b|\b{_AI}$", f"{_CHAIN}agent"),
    PhraseRule(r"\b(?:chat ?)?GPT(?:-?\d\S*)?\b|\bopenai\b", f"{_CHAIN}lmChatOpenAi"),
    PhraseRule(
        r"\b(?:agent|assistant|bot|chatbot|ai)\b.*\bsearch\w* (?:the )?(?:web|internet"
        r"|online|google)\b",
        f"{_CHAIN}toolSerpApi",
    ),
    PhraseRule(r"\bclaude\b|\banthropic\b", f"{_CHAIN}lmChatAnthropic"),
    PhraseRule(r"\bgemini\b", f"{_CHAIN}lmChatGoogleGemini"),
    PhraseRule(r"\bollama\b|\bllama\b", f"{_CHAIN}lmChatOllama"),
    PhraseRule(r"\bmistral\b", f"{_CHAIN}lmChatMistralCloud"),
    PhraseRule(r"\bdeepseek\b", f"{_CHAIN}lmChatDeepSeek"),
    PhraseRule(
        r"\bRSS\b|\b(?:atom|news|blog|podcast) feeds?\b|\bfeeds? (?:at |of |from )?https?://"
        r"|/(?:feed|rss|atom)\b|\b(?:feed|rss|atom)\.xml\b",
        f"{_BASE}rssFeedRead",
    ),
    PhraseRule(
        r"\b(?:send|forward|reply)\b.*\be-?mails?\b|\b(?:by|via|per) e-?mail\b"
        r"|^e-?mail (?!triggers?\b|nodes?\b)\w+|\be-?mail (?:alerts?|notifications?"
        r"|reminders?|reports?)\b",
        f"{_BASE}emailSend",
    ),
    PhraseRule(
        r"\b(?:extract|read|parse|import)\b.*\b(?:csv|pdf|xlsx?|excel) ?(?:files?)?\b",
        f"{_BASE}extractFromFile",
    ),
    PhraseRule(
        r"\bconvert\b.*\bto (?:an? )?(?:csv|xlsx?|excel|file)\b"
        r"|\b(?:make|create|write|build|generate|save|as)\b.*\b(?:csv|xlsx?|excel) files?\b"
        r"|\b(?:csv|xlsx?|excel)[- ]?(?:datei|fichier|archivo|arquivo|bestand)\b",
        f"{_BASE}convertToFile",
    ),
    PhraseRule(
        r"\brespond(?:s|ing)? with\b"
        r"|\b(?:respond|answer|reply)\w* (?:to )?(?:the |its? )?"
        r"(?:caller|call|http request|webhook)\b",
        f"{_BASE}respondToWebhook",
    ),
    PhraseRule(r"\b(?:duplicates?|de-?duplicate)\b", f"{_BASE}removeDuplicates"),
    PhraseRule(
        r"\b(?:loop over|for each|one by one|in batches|iterate)\b", f"{_BASE}splitInBatches"
    ),
    PhraseRule(
        r"\bif\b.*\b(?:else|otherwise)\b|^if\b|\bonly (?:if|when)\b",
        f"{_BASE}if",
    ),
    PhraseRule(
        r"\b(?:rout|switch|branch|distribut|sort)\w*\b.*\b(?:by|on|depending|according|based)\b",
        f"{_BASE}switch",
    ),
    PhraseRule(
        r"\b(?:https?://|(?:http|api|rest) (?:request|call)|(?:call|quer)\w* (?:an?|the|its"
        r"|their) (?:\w+ )?api)",
        f"{_BASE}httpRequest",
    ),
    PhraseRule(r"\b(?:set|add|edit|rename|map)\b.*\bfields?\b", f"{_BASE}set"),
    PhraseRule(
        r"\bsplit\w*\s+(?:out|up|(?:\w+ ){0,3}into)\b|\bone item (?:for|per) each\b",
        f"{_BASE}splitOut",
    ),
    PhraseRule(
        r"^(?:then )?(?:filter|only keep|keep only|exclude|skip|ignore)\w*\b|\bfilter\w*"
        r" (?:out|for|by|the|only)\b|\bfilter\b",
        f"{_BASE}filter",
    ),
    PhraseRule(
        r"^(?:then |it )?(?:check|verif|validat|determin|decid)\w*\b.*\b(?:if|whether|that"
        r"|is|are|exists?)\b"
        r"|^(?:checks?|verif(?:y|ies)|validates?)\b",
        f"{_BASE}if",
    ),
    PhraseRule(
        r"\b(?:aggregat\w+|group(?:s|ed|ing)? (?:\w+ ){0,3}(?:by|into|together))\b",
        f"{_BASE}aggregate",
    ),
    PhraseRule(r"\bmerg(?:e|es|ed|ing)\b|\bcombin(?:e|es|ed|ing)\b", f"{_BASE}merge"),
    PhraseRule(r"\bwaits?\b|\bpauses?\b|\bdelay\w*\b", f"{_BASE}wait"),
    PhraseRule(
        r"\b(?:javascript|custom code|run code|code node|python)\b"
        r"|^(?:then |it )?(?:calculat|comput|scor|rank|process|transform|pars|normali[sz]"
        r"|generate random)\w*\b",
        f"{_BASE}code",
    ),
    PhraseRule(
        r"^(?:then |it )?(?:format|prepar|clean|map|renam|structur|organi[sz]|defin|assign"
        r"|configur|set)\w*\b",
        f"{_BASE}set",
    ),
    PhraseRule(
        r"\b(?:scrap\w+|crawl\w*|fetch\w*|download\w*|retriev\w+|get|pull\w*|visit\w*)\b.*"
        r"\b(?:web ?(?:sites?|pages?)|urls?|html|from the web|pages?|APIs?|endpoints?)\b",
        f"{_BASE}httpRequest",
    ),
    PhraseRule(
        r"\b(?:respond|reply|answer)\b.*\b(?:webhook|caller|call|request)\b",
        f"{_BASE}respondToWebhook",
    ),
)
STARTER = f"{_BASE}manualTrigger"
_CALLED = r"(?: (?:is|gets) (?:called|triggered|received))?"
# Explicit names of n8n's own nodes; the keyword planner reads only these.
READ: tuple[ReadPhrase, ...] = (
    ReadPhrase(rf"webhook(?: (?:call|request))?{_CALLED}", f"{_BASE}webhook", starts=True),
    ReadPhrase(
        r"(?:n8n )?form (?:submission|(?:is|gets) (?:submitted|filled (?:in|out)))",
        f"{_BASE}formTrigger",
        starts=True,
    ),
    ReadPhrase(
        r"chat message(?: (?:is received|arrives|comes in))?", f"{_CHAIN}chatTrigger", starts=True
    ),
    ReadPhrase(
        r"(?:(?:another|any|one|some|each) (?:of )?)?(?:(?:my|our|your|the|these) )?(?:other )?"
        r"(?:workflow|execution)s? (?:fails?|errors?|crash(?:es)?|breaks?)\b",
        f"{_BASE}errorTrigger",
        starts=True,
    ),
    ReadPhrase(
        r"(?:(?:start|trigger|run|execute)(?:ed)? )?(?:manually|by hand)\b"
        r"(?: (?:started|triggered|run|executed))?",
        STARTER,
        starts=True,
    ),
    ReadPhrase(
        r"(?:called|executed) by another workflow", f"{_BASE}executeWorkflowTrigger", starts=True
    ),
    ReadPhrase(r"(?:(?:make|send|do) (?:an? )?)?HTTP request\b", f"{_BASE}httpRequest"),
    ReadPhrase(
        r"(?:call|fetch|request|get|download|poll|query|check)(?: the)?"
        r"(?: (?:url|page|file|data|api|endpoint))?(?= ?(?:from |of |at )?\ue000)",
        f"{_BASE}httpRequest",
    ),
    ReadPhrase(
        r"(?:respond|reply|answer)(?:s)?(?: to)?(?: (?:the|it|this))?(?: (?:webhook|caller))\b"
        r"|(?:respond|reply|answer)s?(?= with\b)",
        f"{_BASE}respondToWebhook",
        presets={f"{_BASE}webhook": {"responseMode": "responseNode"}},
    ),
    ReadPhrase(r"(?:AI |LLM |chat )agent\b", f"{_CHAIN}agent"),
    ReadPhrase(r"(?:read |get )?(?:the |an? )?RSS feed\b", f"{_BASE}rssFeedRead"),
    ReadPhrase(r"send (?:an )?e-?mail\b", f"{_BASE}emailSend"),
)
# An agent takes its prompt from a chat trigger unless another source is set.
STARTERS = {f"{_CHAIN}agent": f"{_CHAIN}chatTrigger"}
# The output field with a node's text, where it is always the same (2.41.1).
GIVES = {
    f"{_CHAIN}agent": "output",
    f"{_CHAIN}chainLlm": "text",
    f"{_CHAIN}chatTrigger": "chatInput",
}
STAPLES: tuple[str, ...] = (
    STARTER,
    f"{_BASE}scheduleTrigger",
    f"{_BASE}webhook",
    f"{_BASE}if",
    f"{_BASE}switch",
    f"{_BASE}merge",
    f"{_BASE}splitInBatches",
    f"{_BASE}set",
    f"{_BASE}code",
    f"{_BASE}httpRequest",
)
