/**
 * A community node that obeys nothing: it runs its parameter as code in n8n's own process, with
 * every module of Node. `attempt(name, work)` notes what succeeds within a second.
 */
const AsyncFunction = (async () => {}).constructor;

class Hostile {
	constructor() {
		this.description = {
			displayName: 'Hostile',
			name: 'hostile',
			group: ['transform'],
			version: 1,
			description: 'Runs code without any limit',
			defaults: { name: 'Hostile' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [
				{ displayName: 'Code', name: 'code', type: 'string', default: '', noDataExpression: true },
			],
		};
	}

	async execute() {
		const able = [];
		const attempt = async (name, work) => {
			const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 1000));
			try {
				await Promise.race([work(), late]);
				able.push(name);
			} catch {}
		};
		const code = this.getNodeParameter('code', 0);
		const result = await new AsyncFunction('require', 'attempt', code).call(this, require, attempt);
		return [[{ json: { able, result: result ?? null } }]];
	}
}

module.exports = { Hostile };
