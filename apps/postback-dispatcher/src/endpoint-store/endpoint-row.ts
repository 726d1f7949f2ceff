import type { Endpoint } from './endpoint.entity';

/** The columns of the endpoint `e` that frequent statements read. The database's clock determines how much of a pause is left. */
export const ENDPOINT_COLUMNS = `e.id, e.partner_id, e.environment, e.url, e.auth_method, e.key_encrypted,
  e.signing_secret_encrypted, e.previous_secrets_encrypted, e.config_version, e.status, e.disabled_reason,
  e.consecutive_exhausted, e.concurrency_max, e.notify_closures, e.shard, e.breaker_level,
  (extract(epoch from e.blocked_until - clock_timestamp()) * 1000)::float8 as blocked_for_ms, e.created_at, e.updated_at`;

export interface EndpointRow {
  id: string;
  partner_id: string;
  environment: Endpoint['environment'];
  url: string;
  auth_method: Endpoint['authMethod'];
  key_encrypted: string;
  signing_secret_encrypted: string;
  previous_secrets_encrypted: string | null;
  config_version: number;
  status: Endpoint['status'];
  disabled_reason: Endpoint['disabledReason'];
  consecutive_exhausted: number;
  concurrency_max: number | null;
  notify_closures: boolean;
  shard: number;
  breaker_level: number;
  blocked_for_ms: number | null;
  created_at: Date;
  updated_at: Date;
}

/**
 * Converts a row of ENDPOINT_COLUMNS to the entity. `blockedUntil` is a time of this process's clock, which may differ
 * from the database's clock.
 */
export const endpointOf = (row: EndpointRow): Endpoint => ({
  id: row.id,
  partnerId: row.partner_id,
  environment: row.environment,
  url: row.url,
  authMethod: row.auth_method,
  keyEncrypted: row.key_encrypted,
  signingSecretEncrypted: row.signing_secret_encrypted,
  previousSecretsEncrypted: row.previous_secrets_encrypted,
  configVersion: row.config_version,
  status: row.status,
  disabledReason: row.disabled_reason,
  consecutiveExhausted: row.consecutive_exhausted,
  concurrencyMax: row.concurrency_max,
  notifyClosures: row.notify_closures,
  shard: row.shard,
  breakerLevel: row.breaker_level,
  blockedUntil: row.blocked_for_ms === null ? null : new Date(Date.now() + row.blocked_for_ms),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
