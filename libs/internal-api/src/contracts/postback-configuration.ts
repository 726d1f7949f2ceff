import { IsInt, Max, Min, ValidateIf } from 'class-validator';

/**
 * Internal HTTP between partner-gateway (caller) and postback-dispatcher (owner of postback configurations).
 * Paths are never on the edge; calls carry a service token (audience `postback-dispatcher`). Errors come as
 * problem+json with the codes of the partner API.
 */

/** Path of one partner's configuration: `GET` reads it, `PUT` creates (201) or changes it (200). */
export const postbackConfigurationPath = (partnerId: string, environment: string): string =>
  `/internal/postback-configurations/${encodeURIComponent(partnerId)}/${environment}`;

/** How the platform authenticates itself at a partner's endpoint. */
export const POSTBACK_AUTH_METHODS = ['Bearer', 'Basic'] as const;
export type PostbackAuthMethod = (typeof POSTBACK_AUTH_METHODS)[number];

/** What a partner sends to save its configuration. A left out `key` keeps the one before. */
export interface SavePostbackConfiguration {
  url: string;
  authMethod: PostbackAuthMethod;
  key?: string | null;
}

/** What a partner sees of its configuration: never the key. */
export interface PostbackConfigurationView {
  url: string;
  authMethod: PostbackAuthMethod;
  hasKey: boolean;
  status: 'active' | 'disabled';
  disabledReason?: string;
  signingEnabled: boolean;
  createdAt: string;
  updatedAt: string;
  /** Only in the answer to the creation, and never again. */
  signingSecret?: string;
}

/** Path of the limits of a partner's endpoints: `PUT` with {@link EndpointLimits} sets them; may be repeated. */
export const endpointLimitsPath = (partnerId: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/endpoint-limits`;

/** What a manager allows each endpoint of a partner, live and test. */
export class EndpointLimits {
  /** Requests in flight at a time; null: the platform's default. */
  @ValidateIf((_object: object, value: unknown) => value !== null)
  @IsInt()
  @Min(1)
  @Max(1000)
  concurrency!: number | null;
}

/** The answer: what was set. The revision grows with each time, so that the newest of several answers is known. */
export interface SavedEndpointLimits {
  concurrency: number | null;
  revision: number;
}
