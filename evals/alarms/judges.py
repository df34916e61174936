"""Decides whether each alarm is true, by n8n's functions, a running n8n, or recorded facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from evals.alarms import by_parameters, by_ports, by_texts, installed
from evals.alarms.alarm import Alarm
from evals.alarms.by_server import Server
from evals.alarms.judgement import UNDECIDED, Judgement, Question
from evals.alarms.readings import Readings

Asked = Callable[[Alarm], Question | None]

QUESTIONS: dict[str, Asked] = {
    "GB205": by_parameters.ask_about_version,
    "GB302": by_parameters.ask_about_name,
    "GB304": by_parameters.ask_about_value,
    "GB305": by_parameters.ask_about_value,
    "GB307": by_parameters.ask_about_value,
    "GB328": by_parameters.ask_about_value,
    "GB329": by_parameters.ask_about_value,
    "GB314": by_ports.ask_about_edge,
    "GB315": by_ports.ask_about_edge,
    "GB316": by_ports.ask_about_inputs,
    "GB317": by_ports.ask_about_inputs,
    "GB318": by_ports.ask_about_edge,
    "N8N304": by_parameters.ask_about_credential,
    "N8N305": by_parameters.ask_about_credential,
    "N8N317": by_texts.ask_about_loop,
    "N8N328": by_texts.ask_about_order,
    "N8N311": by_texts.ask_about_responses,
    "N8N312": by_texts.ask_about_responses,
    "N8N313": by_texts.ask_about_responses,
    "N8N321": by_texts.ask_about_syntax,
    "N8N322": by_texts.ask_about_reference,
    "N8N346": by_texts.ask_about_webhooks,
    "N8N326": by_texts.ask_about_variable,
    "N8N327": by_texts.ask_about_member,
}

SERVER: dict[str, Callable[[Server, Alarm], Judgement | None]] = {
    **dict.fromkeys(("GB201", "GB202", "GB203", "GB204", "GB205", "GB207"), Server.judge_type),
    **dict.fromkeys(("GB311", "GB312", "GB313"), Server.judge_creation),
    **dict.fromkeys(("N8N101", "N8N103", "N8N104", "N8N341"), Server.judge_creation),
    **dict.fromkeys(("GB302", "GB304", "GB305"), Server.judge_execution),
}


def judge_alarms(
    alarms: Sequence[Alarm], n8n_dir: Path, node: Path, server: Server, readings: Readings
) -> list[Judgement]:
    """Returns a judgement for each alarm: by n8n's functions, else the server, else a reading."""
    questions = [_question_for(alarm) for alarm in alarms]
    asked = [(a, q.place) for a, q in zip(alarms, questions, strict=True) if q is not None]
    answers = iter(installed.ask(asked, n8n_dir, node))
    out: list[Judgement] = []
    for alarm, question in zip(alarms, questions, strict=True):
        judgement = question.read(alarm, next(answers)) if question is not None else None
        if judgement is None and alarm.code in SERVER:
            judgement = SERVER[alarm.code](server, alarm)
        out.append(judgement or readings.of(alarm) or UNDECIDED)
    return out


def _question_for(alarm: Alarm) -> Question | None:
    ask = QUESTIONS.get(alarm.code)
    return ask(alarm) if ask is not None else None
