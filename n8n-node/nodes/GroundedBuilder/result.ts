/** Formats the node's output items and hints: findings, open points, questions, trial results. */

import type { IDataObject, NodeExecutionHint } from 'n8n-workflow';

import type {
	Diagnostic,
	Import,
	Rehearsal,
	SessionDone,
	SessionQuestion,
	Trial,
	Verdict,
} from './wire';

/** The findings of an operation, before and after an import. */
export interface Findings {
	outcome: string;
	verdict: Verdict;
	summary: string;
	workflow: object | null;
	diagnostics: Diagnostic[];
	todo?: unknown[];
	rounds?: number;
	reason?: string | null;
	modelError?: string;
}

/** Returns the output item, which has the same fields after every operation. */
export function resultOf(findings: Findings, imported?: Import): IDataObject {
	const { outcome, verdict, summary, workflow, diagnostics, modelError } = findings;
	const todo = [...(findings.todo ?? []), ...(imported?.todo ?? [])];
	return {
		outcome,
		verdict,
		summary: imported?.outcome === 'refused' ? `${summary}; n8n was not given it` : summary,
		reason: findings.reason ?? null,
		workflow: workflow as IDataObject | null,
		import: imported?.outcome ?? null,
		workflow_id: imported?.workflow_id ?? null,
		url: imported?.url ?? null,
		published: imported?.published ?? false,
		diagnostics: [...diagnostics, ...(imported?.diagnostics ?? [])] as unknown as IDataObject[],
		todo: distinct(todo) as IDataObject[],
		rounds: findings.rounds ?? 0,
		...(modelError === undefined ? {} : { model_error: modelError }),
	};
}

const VERDICTS: Record<SessionDone['outcome'], Verdict> = {
	built: 'ok',
	incomplete: 'incomplete',
	refused: 'wrong',
};

/** Returns the findings of a conversation. */
export function findingsOf(done: SessionDone, modelError: string | undefined): Findings {
	const { outcome, summary, reason, artifact, diagnostics, todo, rounds } = done;
	const verdict = VERDICTS[outcome];
	return {
		outcome,
		verdict,
		summary,
		reason,
		workflow: artifact,
		diagnostics,
		todo,
		rounds,
		modelError,
	};
}

/** Returns the question of a conversation, with the fields that its answer needs. */
export function questionResult({
	session,
	question,
	choices,
	round,
}: SessionQuestion): IDataObject {
	return { outcome: 'question', question, choices, conversation: session, rounds: round };
}

/** Returns the hint in the editor that a question waits for an answer. */
export function questionHint({ question, choices }: SessionQuestion): NodeExecutionHint {
	const listed = choices.length === 0 ? '' : ` (${choices.join(' / ')})`;
	const message = `The request can mean two things: ${question}${listed} Answer with the options Conversation ID and Answer.`;
	return { message, type: 'info', location: 'outputPane' };
}

/** Returns the hint in the editor that the model failed and the work ended without it. */
export function hintOf(modelError: string, instead: string): NodeExecutionHint {
	const message = `The chat model failed, so the sidecar ${instead}: ${modelError}`;
	return { message, type: 'warning', location: 'outputPane' };
}

/** Returns the result of a trial as one sentence. */
export function tried({ outcome, diagnostics, runs, stood_in, never_run }: Trial): string {
	const failed = diagnostics
		.filter((finding) => finding.stage === 'run')
		.map((finding) => finding.message);
	if (outcome === 'refused') return `Not run: ${counted('wrong', diagnostics)}`;
	if (outcome !== 'passed') return [`The trial ${outcome}`, ...failed].join('; ');
	const missed = never_run.length === 0 ? '' : `; no run came to ${never_run.join(', ')}`;
	return `Runs that passed: ${runs.length}, nodes that were not run: ${stood_in.length}${missed}`;
}

/** Returns the result of a rehearsal as one sentence. */
export function rehearsed({ outcome, reason, diagnostics, runs, never_run }: Rehearsal): string {
	if (outcome === 'refused') return `Not run: ${counted('wrong', diagnostics)}`;
	if (outcome === 'unavailable') return `Not rehearsed: ${reason}`;
	const sent = runs.flatMap((run) => run.steps.flatMap((step) => step.requests)).length;
	const missed = never_run.map(({ node }) => node).join(', ');
	const rest = missed === '' ? '' : `; no run came to ${missed}`;
	if (outcome === 'passed') return `Runs: ${runs.length}, requests: ${sent}${rest}`;
	const found = diagnostics.filter(({ stage, class: kind }) => stage === 'run' && kind === 'wrong');
	const errors = runs.flatMap((run) => {
		if (run.variant !== 'natural') return [];
		if (run.refusal !== '') return [run.refusal];
		const { node, message } = (run.error ?? {}) as { node?: string; message?: string };
		return message === undefined ? [] : [node ? `"${node}": ${message}` : message];
	});
	const causes = found.length > 0 ? found.map(({ message }) => message) : errors;
	return [`The rehearsal ${outcome}`, ...(reason === '' ? [] : [reason]), ...causes].join('; ');
}

/** Returns the verdict and the number of findings as one sentence. */
export function counted(verdict: Verdict, diagnostics: Diagnostic[]): string {
	const wrong = diagnostics.filter((finding) => finding.class === 'wrong').length;
	const open = diagnostics.filter((finding) => finding.class === 'incomplete').length;
	if (verdict === 'ok') return 'The workflow is right for what is installed';
	if (verdict === 'incomplete') return `The workflow is sound, ${open} left for you to fill in`;
	return `The workflow is wrong in ${wrong} ${wrong === 1 ? 'place' : 'places'}`;
}

/** Lists the first findings that prevent a build, one on each line. */
export function reasons(diagnostics: Diagnostic[], most = 5): string {
	const wrong = diagnostics.filter((finding) => finding.class !== 'advice');
	const lines = wrong
		.slice(0, most)
		.map((finding) => `${finding.code} ${finding.name}: ${finding.message}`);
	const rest = wrong.length - lines.length;
	return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

/** Returns the distinct values: two sources may state the same open point. */
function distinct(values: unknown[]): unknown[] {
	const seen = new Set<string>();
	return values.filter((value) => {
		const text = JSON.stringify(value);
		return seen.has(text) ? false : seen.add(text);
	});
}
