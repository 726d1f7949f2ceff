/** `npm run repair` is called after a restore. It restores the data that events still contain, and checks that nothing is missing. */
import '../stack/node-version.mjs';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { step, report } from '../stack/console.mjs';
import { inRoot } from '../stack/paths.mjs';
import { readStack } from '../stack/stack-file.mjs';
import { APPS } from '../../apps/apps.js';
import { UNDONE_CHANGES } from './audited-changes.mjs';
import { appsOf, busOf, pastTime, run, UsageError, usesPostgresBus, withClient } from './command.mjs';
import { restoreLimits } from './endpoint-limits.mjs';

const USAGE = `npm run repair -- --since TIME [--app NAME …]

After npm run restore, with all apps running again: waits until the events that are pending now are published and, on
the Postgres bus, handled; if partner-gateway was restored, restores sales that qualified before their partner was deactivated and, on
the Postgres bus, revocations that now exist only as events; restores the limits of endpoints; reconciles all users with
the vendor, if idp-api was restored; counts the statistics again; and lists missing rows, and rotations of tokens that a
manager must repeat. The command can be repeated.

  --since TIME   the restored moment, ISO 8601 with a time zone
  --app NAME     the apps that were restored; can be repeated (default: all)
  --url URL      the server, as superuser (default: the stack that runs here); the statistics are then not counted again
  --bus NAME     postgres or kafka (default: that of the stack; with --url, postgres if the server has a schema bus)
  --help
`;

const OPTIONS = /** @type {const} */ ({
  since: { type: 'string' },
  app: { type: 'string', multiple: true },
  url: { type: 'string' },
  bus: { type: 'string' },
});
const HANDLED_TIMEOUT_MS = 300_000;
const REPORT_EVERY_MS = 10_000;
/** How many ids of a finding are printed. */
const IDS_SHOWN = 20;
/** Finds the consumer groups that have not read up to the given ends of the logs. */
const UNREAD = `
  select distinct c.group_name || ' has events to read' as what from bus.group_cursor c
  join json_to_recordset($1) as log(topic text, "partition" integer, next_offset bigint) using (topic, "partition")
  where c."position" < log.next_offset and exists (
    select from bus.role_consumes r where r.group_name = c.group_name and r.topic = c.topic)`;

await run(USAGE, OPTIONS, async ({ since: given, app = ['all'], url, bus: onBus }) => {
  const since = pastTime('--since', given);
  if (since === undefined) throw new UsageError('--since is required');
  const [apps, bus] = [appsOf(app), busOf(onBus)];
  const isRestored = (name) => apps.some((one) => one.name === name);
  return withClient(url ?? readStack().postgres.url, async (client) => {
    const hasBus = await usesPostgresBus(client, { bus, url });
    await step('all events are handled', () => untilHandled(client, hasBus));
    if (isRestored('partner-gateway')) await step('sales', () => restoreQualified(client, since));
    if (isRestored('partner-gateway') && hasBus) await step('revocations', () => restoreRevocations(client, since));
    if (isRestored('partner-gateway') || isRestored('postback-dispatcher'))
      await step('limits of endpoints', () => restoreLimits(client));
    if (isRestored('idp-api')) await step('users to reconcile', () => reconcileUsers(client, since, hasBus));
    const recounted = url === undefined ? recount() : 0;
    const findings = await findMissing(client, since, isRestored);
    const gap = isRestored('partner-gateway') && hasBus ? await revocationsGap(client, since) : undefined;
    if (gap !== undefined)
      console.log(
        `! revocations from ${since} to ${gap.until} may be missing, because the bus keeps events for ${gap.days} days: ask the partners to revoke again`,
      );
    for (const { text, ids } of findings)
      console.log(
        `! ${ids.length} ${text}: ${ids.slice(0, IDS_SHOWN).join(', ')}${ids.length > IDS_SHOWN ? ', …' : ''}`,
      );
    if (findings.length === 0 && gap === undefined)
      console.log(
        `Since ${since}, every qualified sale has a delivery, every delivery its sale, and there are no dead letters.`,
      );
    return findings.length > 0 || gap !== undefined || recounted !== 0 ? 1 : 0;
  });
});

/**
 * Compares the statistics with the rows that they count, and corrects them: sales and revocations that this command
 * restored are not in the statistics yet.
 * @returns the exit code
 */
function recount() {
  const command = [inRoot('tools/cli/bin/tandem.mjs'), 'partner', 'recount'];
  return spawnSync(process.execPath, command, { stdio: 'inherit' }).status;
}

/**
 * Waits until all events that are pending now are published and, on the Postgres bus, handled, together with the events that they cause. Each round
 * waits only for the events that are pending when it begins, because new events never stop while the apps run. Prints every 10 s what is still busy.
 * @throws after five minutes
 */
async function untilHandled(client, hasBus) {
  const progress = { deadline: Date.now() + HANDLED_TIMEOUT_MS, reportAt: Date.now() + REPORT_EVERY_MS };
  const rounds = hasBus ? await longestChain(client) : 1;
  for (let round = 0; round < rounds; round++) {
    await untilNone(client, progress, await pendingInOutboxes(client));
    if (hasBus) await untilNone(client, progress, UNREAD, [await endsOfLogs(client)]);
  }
}

/**
 * Returns the length of the longest chain of apps in which each app handles events that the app before it publishes. If apps form a cycle, the
 * chain would have no end, so the search stops when a chain is as long as the number of apps.
 */
async function longestChain(client) {
  const { rows } = await client.query(
    `with recursive chain (role_name, length) as (
       select role_name, 1 from bus.role_publishes
       union select c.role_name, length + 1 from chain join bus.role_publishes p using (role_name)
         join bus.role_consumes c on c.topic = p.topic where length < $1)
     select coalesce(max(length), 1) as length from chain`,
    [APPS.length],
  );
  return rows[0].length;
}

/** Returns a statement that finds the apps which have not published all events that are in their outbox now. */
async function pendingInOutboxes(client) {
  const ends = APPS.filter(({ role }) => role !== 'discovery').map(
    ({ name, role }) => `select '${name}' as name, '${role}' as role, coalesce(max(id), 0) as last from ${role}.outbox`,
  );
  const { rows } = await client.query(ends.join(' union all '));
  return rows
    .map(
      ({ name, role, last }) =>
        `select '${name} has events to publish' as what where exists (select from ${role}.outbox where id <= ${last})`,
    )
    .join(' union ');
}

/** Returns the ends of the logs of all partitions, in JSON. */
async function endsOfLogs(client) {
  const { rows } = await client.query('select topic, "partition", next_offset from bus.topic_partition');
  return JSON.stringify(rows);
}

/** Waits until a statement returns no rows. Each row of the statement names an app or a consumer group that is still busy. */
async function untilNone(client, progress, sql, values = []) {
  for (; ; await delay(200)) {
    const { rows } = await client.query(sql, values);
    if (rows.length === 0) return;
    const busy = `still busy: ${rows.map(({ what }) => what).join('; ')}. Do all apps run?`;
    if (Date.now() > progress.deadline) throw new Error(busy);
    if (Date.now() < progress.reportAt) continue;
    report(`  … ${busy}`);
    progress.reportAt += REPORT_EVERY_MS;
  }
}

/**
 * Restores the sales that had qualified before their partner was deactivated; each of them has a delivery. After the restore, partner-gateway handled
 * the purchases again while the partner was inactive. So these sales did not qualify again, and their closings were not published.
 *
 * Also raises the versions of these sales, because a qualification adds 1 to the version, and a closing another 1.
 */
async function restoreQualified(client, since) {
  const { rowCount } = await client.query(
    `update partner.sale s set status = case s.status when 'failed' then 'qualified' else s.status end, failure_reason = null,
       qualified_at = d.created_at, version = s.version + case s.status when 'failed' then 1 else 2 end, updated_at = now()
     from postback.sale_delivery d
     where d.oid = s.oid and d.environment = s.environment and d.created_at >= $1 and d.delivery_id is not null
       and s.qualified_at is null and (s.failure_reason = 'partner_inactive' or s.status in ('refunded', 'charged_back'))`,
    [since],
  );
  return `${rowCount} restored`;
}

/**
 * Restores revocations from their events, because the partners' requests will not be sent again. The event has all data of a revocation except its
 * note.
 *
 * The new version of a sale is the version in the event, or the restored version plus 1 if this is higher. The restored version can include a refund
 * after the revocation, which also added 1 to the version.
 */
async function restoreRevocations(client, since) {
  const { rowCount } = await client.query(
    `with event as (
       select distinct on (key) key as oid, convert_from(value, 'UTF8')::jsonb as data, (headers ->> 'ce_sequence')::integer as version
       from bus.event_log where topic = 'sale.revoked' and appended_at >= $1 order by key, "offset" desc)
     update partner.sale s set status = 'revoked', revoked_at = (data ->> 'revokedAt')::timestamptz,
       revoke_reason = data ->> 'reason', version = greatest(s.version + 1, event.version), updated_at = now()
     from event where s.oid = event.oid and s.qualified_at is not null and s.status <> 'revoked'`,
    [since],
  );
  return `${rowCount} restored`;
}

/**
 * Returns undefined if the bus still has all events that were published since the restored moment. Otherwise returns for how many days the bus keeps
 * events, and up to which time it may have removed them. The removed revocations are lost: no app stores them elsewhere, and a replay of webhooks
 * does not contain them.
 */
async function revocationsGap(client, since) {
  const { rows } = await client.query(
    `select days, to_json(now() - days * interval '1 day') #>> '{}' as until from bus.retention
     where $1 < now() - days * interval '1 day'`,
    [since],
  );
  return rows[0];
}

/**
 * Makes idp-api reconcile every user who has a profile, because the vendor has a later state than the restored rows. On the Postgres bus, idp-api
 * also reconciles the users who have no profile but whose enrollment changed since the restored moment: it removes these users at the vendor.
 */
async function reconcileUsers(client, since, hasBus) {
  const changed = `union select distinct key, now(), false from bus.event_log where topic = 'enrollment.changed' and appended_at >= $1
    and not exists (select from idp.profile p where p.krn = key)`;
  const { rowCount } = await client.query(
    `insert into idp.reconciliation as r (krn, due_at, personal_data)
     select krn, now(), true from idp.profile where $1::timestamptz is not null ${hasBus ? changed : ''} order by 1
     on conflict (krn) do update set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
       personal_data = r.personal_data or excluded.personal_data`,
    [since],
  );
  return String(rowCount);
}

/**
 * Finds rows of one app that changed since the restored moment and have no matching row in another app. Also finds dead letters and, if
 * partner-gateway was restored, rotations of tokens that the restore undid.
 */
async function findMissing(client, since, isRestored) {
  // The restore of an app also undid the replays of older dead letters, so all dead letters of a restored app that are not replayed are
  // listed, even old ones.
  const letters = APPS.filter(({ role }) => role !== 'discovery').map(
    ({ name, role }) => `select '${name} ' || id as id from ${role}.dead_letter
      where replayed_at is null and (failed_at >= $1 or ${isRestored(name)})`,
  );
  const checks = {
    'qualified sales without a delivery': `select oid as id from partner.sale s where qualified_at >= $1 and not exists (
      select from postback.sale_delivery d where d.oid = s.oid and d.environment = s.environment and d.delivery_id is not null)`,
    'deliveries whose sale is missing (was its partner created after the restored moment?)': `
      select oid as id from postback.sale_delivery d where created_at >= $1 and delivery_id is not null and not exists (
        select from partner.sale s where s.oid = d.oid and s.qualified_at is not null)`,
    'refunded or charged-back sales whose closing was not published (partners were not notified)': `
      select s.oid as id from partner.sale s join postback.sale_delivery d on d.oid = s.oid and d.environment = s.environment
        where s.status in ('refunded', 'charged_back') and s.qualified_at >= $1 and d.delivery_id is not null and d.closed_by is null`,
    'dead letters (npm run dead-letters -- list)': letters.join(' union all '),
    ...(isRestored('partner-gateway') ? UNDONE_CHANGES : {}),
  };
  const findings = [];
  for (const [text, sql] of Object.entries(checks)) {
    const { rows } = await client.query(sql, [since]);
    if (rows.length > 0) findings.push({ text, ids: rows.map(({ id }) => id) });
  }
  return findings;
}
