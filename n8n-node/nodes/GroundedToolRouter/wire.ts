/** Names the types of the routing part of the sidecar's HTTP API. */

import type { components, paths } from '../GroundedBuilder/openapi';

type Schemas = components['schemas'];

export type RouteAnswer = Schemas['RouteAsk'] | Schemas['RouteCall'] | Schemas['RouteDone'];
export type RouteDone = Schemas['RouteDone'];
export type RouteRequest = paths['/v1/route']['post']['requestBody']['content']['application/json'];
export type RouteReply =
	paths['/v1/route/{route}/reply']['post']['requestBody']['content']['application/json'];

/** The result of a call, without the call's id. */
export type ResultShape = Omit<NonNullable<RouteReply['result']>, 'call'>;

/** A connected tool as the sidecar reads it. */
export interface ToolDefinition {
	id: string;
	name: string;
	provider: string;
	description: string;
	parameters: { schema: object };
}
