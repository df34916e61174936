/** Runs the built node on items, with scripted answers of the sidecar. */

import node from '../dist/nodes/GroundedBuilder/GroundedBuilder.node.js';

const NODE = { id: 'n1', name: 'Grounded Builder', type: 't', typeVersion: 1, parameters: {} };

/** A finding of this class, as the sidecar tells it. */
export const finding = (kind) => ({
	code: 'GB201',
	name: 'n',
	class: kind,
	message: 'm',
	help: 'h',
});

/** Runs the node with these parameters for each item against a sidecar that answers by path. */
export async function run(items, answers, keepsGoing = false) {
	const calls = [];
	const hints = [];
	const context = {
		getInputData: () => items.map(() => ({ json: {} })),
		getNode: () => NODE,
		getNodeInputs: () => [],
		getExecutionId: () => '1',
		getExecutionCancelSignal: () => (items[0].aborted ? { aborted: true } : undefined),
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getCredentials: async () => ({ baseUrl: 'http://h/', token: 't' }),
		getNodeParameter: (name, item, fallback) => items[item][name] ?? fallback,
		continueOnFail: () => keepsGoing,
		addExecutionHints: (hint) => hints.push(hint),
		helpers: {
			prepareBinaryData: async (content, fileName, mimeType) => ({
				data: content.toString('utf8'),
				fileName,
				mimeType,
			}),
			httpRequestWithAuthentication: async (_credential, { url, body }) => {
				const path = url.replace('http://h', '');
				calls.push([path, body]);
				const answer = answers[path];
				const given = typeof answer === 'function' ? answer() : answer;
				return { statusCode: 200, headers: {}, body: given };
			},
		},
	};
	const [results] = await new node.GroundedBuilder().execute.call(context);
	return { results, calls, hints };
}
