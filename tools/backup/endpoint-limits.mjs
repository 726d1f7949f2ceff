/**
 * Restores the limits of partners' endpoints. partner-gateway and postback-dispatcher both store each limit, with the revision of its last change.
 * The app with the lower revision gets the limit of the other app.
 *
 * Otherwise, after a restore of postback-dispatcher, later changes would get lower revisions than the one that partner-gateway has stored, and
 * partner-gateway would ignore the answers to these changes.
 *
 * @param {import('pg').Client} client
 * @returns {Promise<string>} a text with the number of limits that were restored
 */
export async function restoreLimits(client) {
  const { rowCount: ofDispatcher } = await client.query(TO_DISPATCHER);
  await client.query(TO_ENDPOINTS);
  const { rowCount: ofGateway } = await client.query(TO_GATEWAY);
  return `${(ofDispatcher ?? 0) + (ofGateway ?? 0)} restored`;
}

const TO_DISPATCHER = `
  insert into postback.partner_limit as l (partner_id, concurrency, revision)
  select id, endpoint_concurrency, endpoint_limits_revision from partner.partner where endpoint_limits_revision > 0 order by id
  on conflict (partner_id) do update
    set concurrency = excluded.concurrency, revision = excluded.revision, updated_at = clock_timestamp()
    where l.revision < excluded.revision`;

/**
 * Increases `config_version`, so that the replica that sends to the endpoint reads the new limit. Locks the rows in the order of their ids, as
 * postback-dispatcher does, so that this statement and the app cannot deadlock.
 */
const TO_ENDPOINTS = `
  with other as materialized (
    select e.id, l.concurrency from postback.endpoint e join postback.partner_limit l using (partner_id)
    where e.concurrency_max is distinct from l.concurrency order by e.id for update of e)
  update postback.endpoint e set concurrency_max = other.concurrency, config_version = config_version + 1
    from other where e.id = other.id`;

const TO_GATEWAY = `
  update partner.partner p set endpoint_concurrency = l.concurrency, endpoint_limits_revision = l.revision
    from postback.partner_limit l where l.partner_id = p.id and l.revision > p.endpoint_limits_revision`;
