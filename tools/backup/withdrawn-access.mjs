/**
 * Access to the partner API that managers withdrew since the restored moment. A restore of partner-gateway keeps the audit trail, which is
 * therefore newer than the restored rows.
 */

const REVOKE_TOKENS = `
  update partner.partner_token t set revoked_at = a.at
  from (select entity_id, min(at) as at from partner.audit_entry
    where entity = 'partner_token' and action in ('token.revoked', 'token.leaked') group by entity_id) a
  where t.id = a.entity_id and t.revoked_at is null`;

/** A link that was used must not open a second session. */
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
 * Revokes tokens and closes portal links again, in the transaction of `live`, which has just restored the rows of partner-gateway.
 *
 * @param {import('pg').Client} live
 * @returns {Promise<{ tokens: number, links: number }>} how many rows were changed
 */
export async function withdrawAccess(live) {
  const revoked = await live.query(REVOKE_TOKENS);
  const links = await live.query(CLOSE_LINKS);
  const sessions = await live.query(REVOKE_SESSIONS);
  return { tokens: revoked.rowCount + sessions.rowCount, links: links.rowCount };
}

/** Selects the last change of each entity since $1. */
const lastChange = (action) => `(select distinct on (entity_id) entity_id, (after ->> 'active')::boolean as active
  from partner.audit_entry where action = '${action}' and at >= $1 order by entity_id, seq desc) a`;

/**
 * Checks that find the changes of access which a restore of partner-gateway undid, and which a manager has not repeated yet. $1 is the
 * restored moment.
 */
export const UNDONE_CHANGES = {
  'partners are active again, although they were deactivated since then': `
    select p.id from partner.partner p join ${lastChange('partner.changed')} on a.entity_id = p.id
    where p.active and not a.active order by p.id`,
  'promotions were activated or deactivated since then, which is undone': `
    select p.id from partner.promotion p join ${lastChange('promotion.changed')} on a.entity_id = p.id
    where p.active <> a.active order by p.id`,
  'tokens are valid again, although they were rotated since then; their successors are gone': `
    select t.id from partner.partner_token t where t.replaced_by is null and t.revoked_at is null
      and (t.expires_at is null or t.expires_at > now()) and exists (select from partner.audit_entry a
        where a.entity_id = t.id and a.action = 'token.rotated' and a.at >= $1) order by t.id`,
};
