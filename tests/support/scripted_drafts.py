"""Lists drafts for requests of users, as a chat model might write them."""

from __future__ import annotations

from typing import Any

Plan = dict[str, Any]


def steps(*given: Plan) -> Plan:
    """Returns a plan of these steps."""
    return {"steps": list(given)}


PAGE = steps(
    {
        "id": "link",
        "tool": "Webhook",
        "action": "Link accessed",
        "params": {"httpMethod": "GET", "responseMode": "responseNode"},
    },
    {
        "id": "page",
        "tool": "Respond to Webhook",
        "params": {
            "respondWith": "text",
            "responseBody": "<h1>Hello from a page</h1>",
            "options": {"responseHeaders": {"entries": [{"name": "X-Page", "value": "static"}]}},
        },
    },
)

INTAKE = steps(
    {
        "id": "request",
        "tool": "Webhook",
        "params": {"httpMethod": "POST", "responseMode": "responseNode"},
    },
    {
        "id": "normalize",
        "tool": "n8n-nodes-base.set",
        "params": {
            "assignments": {
                "assignments": [
                    {
                        "id": "1",
                        "name": "city",
                        "type": "string",
                        "value": "={{ ($json.body.city || '').trim().toUpperCase() }}",
                    }
                ]
            }
        },
    },
    {
        "id": "complete",
        "tool": "If",
        "params": {
            "conditions": {
                "options": {
                    "caseSensitive": True,
                    "leftValue": "",
                    "typeValidation": "strict",
                    "version": 2,
                },
                "combinator": "and",
                "conditions": [
                    {
                        "id": "1",
                        "leftValue": "={{ $json.city }}",
                        "rightValue": "",
                        "operator": {
                            "type": "string",
                            "operation": "notEmpty",
                            "singleValue": True,
                        },
                    }
                ],
            }
        },
    },
    {
        "id": "ready",
        "tool": "Respond to Webhook",
        "inputs": [{"from": "complete", "output": "true"}],
        "params": {
            "respondWith": "text",
            "responseBody": "=ready {{ $('normalize').item.json.city }}",
        },
    },
    {
        "id": "review",
        "tool": "Respond to Webhook",
        "inputs": [{"from": "complete", "output": "false"}],
        "params": {"respondWith": "text", "responseBody": "needs_review"},
    },
)


def _rule(word: str) -> Plan:
    return {
        "conditions": {
            "options": {
                "caseSensitive": True,
                "leftValue": "",
                "typeValidation": "strict",
                "version": 2,
            },
            "combinator": "and",
            "conditions": [
                {
                    "id": word,
                    "leftValue": "={{ $json.body.name }}",
                    "rightValue": word,
                    "operator": {"type": "string", "operation": "equals"},
                }
            ],
        },
        "renameOutput": True,
        "outputKey": word,
    }


FUNCTIONS = steps(
    {
        "id": "call",
        "tool": "Webhook",
        "params": {"httpMethod": "POST", "responseMode": "responseNode"},
    },
    {
        "id": "which",
        "tool": "Switch",
        "params": {"rules": {"values": [_rule("book"), _rule("cancel")]}},
    },
    {
        "id": "booked",
        "tool": "Respond to Webhook",
        "inputs": [{"from": "which", "output": 0}],
        "params": {"respondWith": "text", "responseBody": "booked"},
    },
    {
        "id": "cancelled",
        "tool": "Respond to Webhook",
        "inputs": [{"from": "which", "output": 1}],
        "params": {"respondWith": "text", "responseBody": "cancelled"},
    },
)

LOOP = steps(
    {
        "id": "rows",
        "tool": "Webhook",
        "params": {"httpMethod": "POST", "responseMode": "responseNode"},
    },
    {"id": "each", "tool": "Split Out", "params": {"fieldToSplitOut": "body.rows"}},
    {
        "id": "loop",
        "tool": "n8n-nodes-base.splitInBatches",
        "params": {"batchSize": 1},
        "inputs": ["each", {"from": "double", "back": True}],
    },
    {
        "id": "double",
        "tool": "Code",
        "inputs": [{"from": "loop", "output": "loop"}],
        "params": {
            "jsCode": "return [{json: {twice: Object.values($input.first().json)[0] * 2}}];"
        },
    },
    {
        "id": "answer",
        "tool": "Respond to Webhook",
        "inputs": [{"from": "loop", "output": "done"}],
        "params": {"respondWith": "allIncomingItems"},
    },
)


def fetch(url: str) -> Plan:
    """Returns a plan that returns the answer of an HTTP call to the caller."""
    return steps(
        {"id": "start", "tool": "Webhook", "params": {"responseMode": "responseNode"}},
        {"id": "fetch", "tool": "HTTP Request", "params": {"url": url}},
        {
            "id": "send",
            "tool": "Respond to Webhook",
            "params": {"respondWith": "json", "responseBody": "={{ $json }}"},
        },
    )


FILTERED = steps(
    {"id": "mail", "tool": "Gmail Trigger", "params": {"simple": True}},
    {
        "id": "urgent",
        "tool": "If",
        "params": {
            "conditions": {
                "options": {
                    "caseSensitive": False,
                    "leftValue": "",
                    "typeValidation": "loose",
                    "version": 2,
                },
                "combinator": "and",
                "conditions": [
                    {
                        "id": "1",
                        "leftValue": "={{ $json.Subject }}",
                        "rightValue": "urgent",
                        "operator": {"type": "string", "operation": "contains"},
                    }
                ],
            }
        },
    },
    {
        "id": "forward",
        "tool": "Telegram",
        "action": "Send message",
        "inputs": [{"from": "urgent", "output": "true"}],
        "params": {
            "resource": "message",
            "operation": "sendMessage",
            "chatId": "1",
            "text": "={{ $json.Subject }}",
        },
    },
)

IDEAS = steps(
    {"id": "command", "tool": "Webhook", "params": {"httpMethod": "POST"}},
    {
        "id": "which",
        "tool": "Switch",
        "params": {"rules": {"values": [_rule("idea"), _rule("help")]}},
    },
    {
        "id": "sheet",
        "tool": "Google Sheets",
        "inputs": [{"from": "which", "output": 0}],
        "params": {
            "resource": "sheet",
            "operation": "append",
            "documentId": {"__rl": True, "mode": "id", "value": "1a"},
            "sheetName": {"__rl": True, "mode": "name", "value": "Ideas"},
            "columns": {"mappingMode": "autoMapInputData", "value": {}},
        },
    },
    {
        "id": "thanks",
        "tool": "Slack",
        "inputs": ["sheet"],
        "params": {
            "resource": "message",
            "operation": "post",
            "select": "channel",
            "channelId": {"__rl": True, "mode": "name", "value": "#ideas"},
            "text": "Thank you",
        },
    },
)

CHATBOT = steps(
    {"id": "chat", "tool": "Chat Trigger", "params": {}},
    {"id": "agent", "tool": "AI Agent", "params": {}},
    {"id": "model", "tool": "OpenAI Chat Model", "for": "agent", "params": {}},
    {"id": "memory", "tool": "Simple Memory", "for": "agent", "params": {}},
    {"id": "search", "tool": "Wikipedia", "for": "agent", "params": {}},
)

FORM = steps(
    {
        "id": "form",
        "tool": "n8n Form Trigger",
        "params": {
            "formTitle": "Upload",
            "formFields": {"values": [{"fieldLabel": "file", "fieldType": "file"}]},
        },
    },
    {
        "id": "save",
        "tool": "S3",
        "params": {
            "resource": "file",
            "operation": "upload",
            "bucketName": "space",
            "fileName": "={{ $json.file[0].filename }}",
            "binaryPropertyName": "file",
        },
    },
)
