/** Takes each mail that a node sends by SMTP, and delivers none. */
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

const MAX_MAIL_BYTES = 20_000_000;
const REFUSALS = { 404: 550, 429: 450, 500: 451 };
const SOURCE = 'the mail server of the rehearsal; nothing is delivered';

/** @param {import('mailparser').AddressObject | import('mailparser').AddressObject[] | undefined} field */
function listAddresses(field) {
	return [field ?? []].flat().flatMap((group) => group.value.map((one) => one.address ?? one.name));
}

/** @param {import('mailparser').ParsedMail} mail */
function describeMail(mail) {
	return {
		from: mail.from?.text ?? '',
		to: listAddresses(mail.to),
		cc: listAddresses(mail.cc),
		bcc: listAddresses(mail.bcc),
		replyTo: listAddresses(mail.replyTo),
		subject: mail.subject ?? '',
		text: mail.text ?? '',
		html: mail.html || '',
		attachments: mail.attachments.map((file) => ({
			name: file.filename ?? '',
			type: file.contentType,
			bytes: file.size,
		})),
	};
}

/**
 * Returns the function that serves a client.
 * @param {import('./log.js').Log} log
 * @returns {import('./log.js').Serve}
 */
export function serveMail(log) {
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		allowInsecureAuth: true,
		disableReverseLookup: true,
		size: MAX_MAIL_BYTES,
		onAuth: (login, session, done) => done(null, { user: login.username ?? 'unknown' }),
		onData: (stream, session, done) => {
			take(stream, session).then(
				(reply) => done(null, reply),
				(error) => done(error),
			);
		},
	});

	/**
	 * @param {import('smtp-server').SMTPServerDataStream} stream
	 * @param {import('smtp-server').SMTPServerSession} session
	 */
	async function take(stream, session) {
		const at = Date.now();
		const mail = await simpleParser(stream, { skipImageLinks: true, skipTextToHtml: true });
		if (stream.sizeExceeded) {
			throw Object.assign(new Error('the mail is too large'), { responseCode: 552 });
		}
		const user = String(session.user ?? '');
		const { fault } = await log.begin(user);
		const body = {
			...describeMail(mail),
			envelope: session.envelope.rcptTo.map((recipient) => recipient.address),
		};
		const code = fault ? (REFUSALS[/** @type {'404'} */ (fault)] ?? 421) : 250;
		const answer = fault ? 'the fault that is asked for' : 'accepted';
		await log.record({
			method: 'MAIL',
			user,
			path: '',
			body,
			at,
			status: fault ? 500 : 200,
			answer: `${code} ${answer}`,
			source: fault ? answer : SOURCE,
		});
		if (fault) throw Object.assign(new Error(answer), { responseCode: code });
		return answer;
	}

	return (socket) => {
		// The library has no public way to serve a connection that another server accepted.
		server.server.emit('connection', socket);
	};
}
