import { Injectable } from '@nestjs/common';
import type { Environment } from '@tandem/contracts';
import { DataSource, EntityManager } from 'typeorm';
import { queryPrepared } from '@tandem/database';
import { Endpoint } from './endpoint.entity';
import { ENDPOINT_COLUMNS, EndpointRow, endpointOf } from './endpoint-row';

/** The fields that a save changes in an existing configuration. */
export type EndpointUpdate = Pick<Endpoint, 'url' | 'authMethod' | 'keyEncrypted' | 'notifyClosures'>;

/** The newest version of an endpoint's configuration that a worker has read, and whether the worker knows the endpoint as disabled. */
export interface KnownEndpoint {
  readonly id: string;
  readonly version: number;
  readonly disabled: boolean;
}

/** Stores postback configurations. */
@Injectable()
export class EndpointRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(partnerId: string, environment: Environment): Promise<Endpoint | null> {
    return this.dataSource.getRepository(Endpoint).findOneBy({ partnerId, environment });
  }

  /** Finds an endpoint for its worker, with `blockedUntil` converted to a time of this process's clock. */
  async findForWorker(partnerId: string, environment: Environment): Promise<Endpoint | null> {
    const text = `select ${ENDPOINT_COLUMNS} from endpoint e where e.partner_id = $1 and e.environment = $2`;
    const [row] = await queryPrepared<EndpointRow>(this.dataSource, 'endpoint', text, [partnerId, environment]);
    return row === undefined ? null : endpointOf(row);
  }

  async findByIds(ids: readonly string[]): Promise<Endpoint[]> {
    const text = `select ${ENDPOINT_COLUMNS} from endpoint e where e.id = any ($1::uuid[])`;
    const rows = await queryPrepared<EndpointRow>(this.dataSource, 'endpoints', text, [ids]);
    return rows.map(endpointOf);
  }

  /**
   * Finds the configurations that changed: the stored version is newer than the known version, or the endpoint is now disabled and the
   * worker does not know it yet.
   */
  async findChanged(known: readonly KnownEndpoint[]): Promise<Endpoint[]> {
    const text = `select ${ENDPOINT_COLUMNS} from unnest($1::uuid[], $2::int[], $3::bool[]) as known (id, version, disabled)
      join endpoint e using (id) where e.config_version > known.version or e.status = 'disabled' and not known.disabled`;
    const rows = await queryPrepared<EndpointRow>(this.dataSource, 'endpoints-changed', text, [
      known.map(({ id }) => id),
      known.map(({ version }) => version),
      known.map(({ disabled }) => disabled),
    ]);
    return rows.map(endpointOf);
  }

  /** Finds the configuration and locks its row, so that saves run one after the other. */
  findForUpdate(manager: EntityManager, partnerId: string, environment: Environment): Promise<Endpoint | null> {
    return manager
      .getRepository(Endpoint)
      .findOne({ where: { partnerId, environment }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Adds a configuration with the limit of its partner. Locks the partner's row in `partner_limit`, and creates this row if there is none.
   * A concurrent change of the limit therefore waits, and then finds the new endpoint.
   * @returns false when a concurrent save has already added a configuration
   */
  async insert(
    manager: EntityManager,
    endpoint: Pick<
      Endpoint,
      | 'id'
      | 'partnerId'
      | 'environment'
      | 'url'
      | 'authMethod'
      | 'keyEncrypted'
      | 'signingSecretEncrypted'
      | 'notifyClosures'
    >,
  ): Promise<boolean> {
    const rows: unknown[] = await manager.query(
      `with own as (
         insert into partner_limit (partner_id) values ($2)
         on conflict (partner_id) do update set partner_id = excluded.partner_id returning concurrency)
       insert into endpoint
         (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted, notify_closures, concurrency_max)
       select $1, $2, $3, $4, $5, $6, $7, $8, concurrency from own
       on conflict on constraint endpoint_owner do nothing returning id`,
      [
        endpoint.id,
        endpoint.partnerId,
        endpoint.environment,
        endpoint.url,
        endpoint.authMethod,
        endpoint.keyEncrypted,
        endpoint.signingSecretEncrypted,
        endpoint.notifyClosures,
      ],
    );
    return rows.length === 1;
  }

  /** Overwrites a configuration and enables it. Ends a pause if the URL changes or the endpoint was disabled. */
  async update(manager: EntityManager, id: string, update: EndpointUpdate): Promise<void> {
    const { url, authMethod, keyEncrypted, notifyClosures } = update;
    await manager.query(
      `update endpoint set url = $2, auth_method = $3, key_encrypted = $4, notify_closures = $5, status = 'active', disabled_reason = null,
         consecutive_exhausted = 0, failing_since = null,
         breaker_level = case when url = $2 and status = 'active' then breaker_level else 0 end,
         blocked_until = case when url = $2 and status = 'active' then blocked_until end,
         config_version = config_version + 1, updated_at = clock_timestamp() where id = $1`,
      [id, url, authMethod, keyEncrypted, notifyClosures],
    );
  }

  /** Enables a configuration and ends its pause. Changes nothing if the endpoint is enabled and was not paused since its last success. */
  async enable(manager: EntityManager, id: string): Promise<void> {
    await manager.query(
      `update endpoint set status = 'active', disabled_reason = null, consecutive_exhausted = 0, failing_since = null,
         breaker_level = 0, blocked_until = null, config_version = config_version + 1, updated_at = clock_timestamp()
       where id = $1 and (status = 'disabled' or blocked_until is not null)`,
      [id],
    );
  }

  async updateSigningSecret(manager: EntityManager, id: string, current: string, previous: string): Promise<void> {
    await manager.query(
      `update endpoint set signing_secret_encrypted = $2, previous_secrets_encrypted = $3,
         config_version = config_version + 1, updated_at = clock_timestamp() where id = $1`,
      [id, current, previous],
    );
  }

  /**
   * Stores the maximum requests in flight to each endpoint of a partner, in `partner_limit`, for endpoints that are added later.
   * @returns the revision of the limit
   */
  async savePartnerLimit(manager: EntityManager, partnerId: string, concurrency: number | null): Promise<number> {
    const [row] = await manager.query<{ revision: number }[]>(
      `insert into partner_limit (partner_id, concurrency, revision) values ($1, $2, 1)
       on conflict (partner_id) do update set concurrency = excluded.concurrency,
         revision = partner_limit.revision + 1, updated_at = clock_timestamp()
       returning revision`,
      [partnerId, concurrency],
    );
    if (row === undefined) throw new Error(`the limit of the partner ${partnerId} was not stored`);
    return row.revision;
  }

  /**
   * Stores the limit in each of the partner's configurations that has another limit. The version of the configuration increases, so that
   * the replica that sends to the endpoint reads the limit. This is not a save by the partner: a disabled configuration stays disabled, and
   * a pause continues.
   * @returns the ids of the endpoints whose limit changed
   */
  async limitConcurrency(manager: EntityManager, partnerId: string, concurrency: number | null): Promise<string[]> {
    const rows = await manager.query<{ id: string }[]>(
      `with other as (
         select id from endpoint where partner_id = $1 and concurrency_max is distinct from $2::integer
         order by id for update),
       changed as (
         update endpoint e set concurrency_max = $2::integer, config_version = config_version + 1
         from other where e.id = other.id returning e.id)
       select id from changed`,
      [partnerId, concurrency],
    );
    return rows.map(({ id }) => id);
  }
}
