/** Defines the credential type for the sidecar: its address and its token. */

import type {
	IAuthenticateGeneric,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

/** The address of the sidecar and the token by which it identifies the caller. */
export class GroundedBuilderApi implements ICredentialType {
	name = 'groundedBuilderApi';

	displayName = 'Grounded Builder API';

	icon: Icon = { light: 'file:../icons/grounded.svg', dark: 'file:../icons/grounded.dark.svg' };

	// The address at which a sidecar listens by default; the sidecar itself serves its documentation.
	documentationUrl = 'http://127.0.0.1:8377/docs';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: 'http://127.0.0.1:8377',
			placeholder: 'http://127.0.0.1:8377',
			description: 'Address of the sidecar as n8n sees it, without a path',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'Bearer token of the sidecar, which creates one at its first start',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			// The same trimming as in the transport.
			baseURL: '={{$credentials.baseUrl.trim().replace(/(\\/v1)?\\/*$/, "")}}',
			url: '/v1/n8n/catalog',
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message: 'The sidecar does not know this token: copy the token from its state folder',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message: 'This token has no permission to read the catalog: use one with that scope',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message: 'No sidecar route at this address: check the Base URL, or load a catalog',
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 409,
					message:
						'The token is right, but the sidecar has no catalog: push one with node-catalog-sync',
				},
			},
		],
	};
}
