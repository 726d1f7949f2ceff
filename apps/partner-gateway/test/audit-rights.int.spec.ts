import { uniqueId } from '@tandem/testing';
import { Client } from 'pg';
import { Gateway } from './gateway';

const DENIED = { code: '42501' };

describe('the audit trail, for the role of partner-gateway', () => {
  let gateway: Gateway;
  let role: Client;
  beforeAll(async () => {
    gateway = await Gateway.start();
    role = new Client({ connectionString: gateway.database.urlFor('partner') });
    await role.connect();
  });
  afterAll(async () => {
    await role?.end();
    await gateway?.stop();
  });

  it('accepts new rows, but no changes or deletions of rows', async () => {
    const id = uniqueId('prm');
    const insert = `insert into partner.audit_entry (actor, action, entity, entity_id, request_id)
                    values ('manager-1', 'promotion.changed', 'promotion', $1, 'req-1')`;
    expect((await role.query(insert, [id])).rowCount).toBe(1);
    for (const statement of [
      `update partner.audit_entry set actor = 'manager-2' where entity_id = $1`,
      `update partner.audit_entry set after = null where entity_id = $1`,
      'delete from partner.audit_entry where entity_id = $1',
    ])
      await expect(role.query(statement, [id])).rejects.toMatchObject(DENIED);
    await expect(role.query('truncate partner.audit_entry')).rejects.toMatchObject(DENIED);
  });
});
