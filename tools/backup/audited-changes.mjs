/**
 * The statements in this file repeat changes that managers and partners made since the restored moment. They read the changes from the audit trail:
 * a restore of partner-gateway keeps all entries of the audit trail, even those that are newer than the restored rows.
 */

const REVOKE_TOKENS = `
  update partner.partner_token t set revoked_at = a.at
  from (select entity_id, min(at) as at from partner.audit_entry
    where entity = 'partner_token' and action in ('token.revoked', 'token.leaked') group by entity_id) a
  where t.id = a.entity_id and t.revoked_at is null`;

/** Marks portal links as used or ended if the audit trail says so, because a used link must not open a second session. */
const CLOSE_LINKS = `
  update partner.portal_link l set ended_at = coalesce(l.ended_at, a.ended_at), used_at = coalesce(l.used_at, a.used_at)
  from (select entity_id, min(at) filter (where action = 'portal_link.ended') as ended_at,
      min(at) filter (where action = 'portal_link.used') as used_at
    from partner.audit_entry where entity = 'portal_link' group by entity_id) a
  where l.id = a.entity_id
    and ((l.ended_at is null and a.ended_at is not null) or (l.used_at is null and a.used_at is not null))`;

const REVOKE_SESSIONS = `
  update partner.partner_token t set revoked_at = l.ended_at
  from partner.portal_link l where l.id = t.portal_link_id and l.ended_at is not null and t.revoked_at is null`;

/**
 * Selects all audit entries about partners and promotions. It runs on the restored server, which has only the entries up to the restored moment.
 * All other entries of the live server are therefore newer than this moment.
 */
const KNOWN = `select seq from partner.audit_entry where entity in ('partner', 'promotion')`;

/** Selects the state of each partner or promotion after its last change since the restored moment. $1: the entries that `KNOWN` selects. */
const lastState = (entity) => `(select distinct on (entity_id) entity_id as id, after from partner.audit_entry
  where action in ('${entity}.created', '${entity}.changed') and seq <> all ($1::bigint[]) order by entity_id, seq desc) a`;

/**
 * Sets the columns of partners on which sales, revocations and access depend, if the audit trail contains their full values. Also sets
 * `updated_at` to the time of the last change.
 */
const CHANGE_PARTNERS = `
  update partner.partner p set name = after ->> 'name', active = (after ->> 'active')::boolean,
    revoke_window_days = (after ->> 'revokeWindowDays')::smallint, updated_at = (after ->> 'updatedAt')::timestamptz
  from ${lastState('partner')} where p.id = a.id`;

/**
 * Creates promotions again if their partner exists. They are inactive until `SET_PROMOTIONS` runs, because a partner can have only one active
 * promotion. Skips a promotion whose code is taken: a manager may have created the promotion again after an earlier restore.
 */
const CREATE_PROMOTIONS = `
  insert into partner.promotion (id, partner_id, code, percent_off, active, deactivated_at, created_at)
  select a.entity_id, p.id, after ->> 'code', (after ->> 'percentOff')::smallint, false, t.created_at, t.created_at
  from partner.audit_entry a join partner.partner p on p.id = after ->> 'partnerId',
    lateral (select (after ->> 'createdAt')::timestamptz as created_at) t
  where action = 'promotion.created' and a.seq <> all ($1::bigint[]) order by a.seq
  on conflict do nothing`;

/**
 * Sets whether promotions are active, and when they were deactivated: a code counts for purchases before its promotion was deactivated. $2: true for
 * the promotions whose last state is active, and false for all others.
 */
const SET_PROMOTIONS = `
  update partner.promotion p set active = $2, deactivated_at = (after ->> 'deactivatedAt')::timestamptz
  from ${lastState('promotion')} where p.id = a.id and (after ->> 'active')::boolean = $2`;

/**
 * Finds partners whose contact address was changed. The audit trail contains only masked addresses, so a change between addresses with the same mask
 * is not found.
 */
const CHANGED_CONTACTS = `
  select distinct p.id from partner.partner p join partner.audit_entry a on a.entity_id = p.id
  where action = 'partner.changed' and a.seq <> all ($1::bigint[])
    and before ->> 'contactEmail' is distinct from after ->> 'contactEmail' order by p.id`;

/**
 * Repeats changes that were made since the restored moment and that partner-gateway needs before it handles events: revokes tokens, closes
 * portal links, and gives partners and promotions their last state. Runs in the transaction of `live` that has restored partner-gateway's rows.
 *
 * @param {object} options
 * @param {import('pg').Client} options.live
 * @param {import('pg').Client} options.restored the server with the state of the restored moment
 * @returns {Promise<{ tokens: number, links: number, partners: number, promotions: number, contacts: string[] }>} how many rows were
 *   changed, and the partners whose contact address a manager must enter again
 */
export async function repeatChanges({ live, restored }) {
  const revoked = await live.query(REVOKE_TOKENS);
  const links = await live.query(CLOSE_LINKS);
  const sessions = await live.query(REVOKE_SESSIONS);
  const known = (await restored.query(KNOWN)).rows.map(({ seq }) => seq);
  const partners = await live.query(CHANGE_PARTNERS, [known]);
  await live.query(CREATE_PROMOTIONS, [known]);
  const inactive = await live.query(SET_PROMOTIONS, [known, false]);
  const active = await live.query(SET_PROMOTIONS, [known, true]);
  const { rows: contacts } = await live.query(CHANGED_CONTACTS, [known]);
  return {
    tokens: revoked.rowCount + sessions.rowCount,
    links: links.rowCount,
    partners: partners.rowCount,
    promotions: inactive.rowCount + active.rowCount,
    contacts: contacts.map(({ id }) => id),
  };
}

/** SQL by finding: selects the tokens whose rotation a restore of partner-gateway undid and no manager has repeated. $1: the restored moment. */
export const UNDONE_CHANGES = {
  'tokens are valid again, although they were rotated since then; their successors are gone': `
    select t.id from partner.partner_token t where t.replaced_by is null and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now()) and exists (select from partner.audit_entry a
        where a.entity_id = t.id and a.action = 'token.rotated' and a.at >= $1) order by t.id`,
};
