import { newKrn, Support } from './support';
import { Client } from 'pg';

const DENIED = { code: '42501' };

describe('the audit trail, as the role of idp-support sees it,', () => {
  let support: Support;
  let role: Client;
  beforeAll(async () => {
    support = await Support.start();
    role = new Client({ connectionString: support.database.urlFor('support') });
    await role.connect();
  });
  afterAll(async () => {
    await role?.end();
    await support?.stop();
  });

  /** Adds a row whose action is not finished. @returns the row's `seq` */
  async function started(): Promise<string> {
    const { rows } = await role.query<{ seq: string }>(
      `insert into support.audit_entry (actor, action, krn, request_id, details)
       values ('agent-7', 'user.delete', $1, 'req-1', '{}') returning seq`,
      [newKrn()],
    );
    return (rows[0] as { seq: string }).seq;
  }
  const finish = (seq: string, outcome: string) =>
    role.query(
      `update support.audit_entry set outcome = $2, error = null, details = details || '{"a":1}', finished_at = now() where seq = $1`,
      [seq, outcome],
    );

  it('accepts new rows, and one outcome for each row', async () => {
    const seq = await started();
    expect((await finish(seq, 'succeeded')).rowCount).toBe(1);
  });

  it('refuses to change the outcome of a row that has one', async () => {
    const seq = await started();
    await finish(seq, 'failed');
    await expect(finish(seq, 'succeeded')).rejects.toMatchObject(DENIED);
    const reopen = `update support.audit_entry set outcome = 'started', finished_at = null where seq = $1`;
    await expect(role.query(reopen, [seq])).rejects.toMatchObject(DENIED);
  });

  it.each(['actor', 'action', 'krn', 'reason', 'request_id', 'started_at'])(
    'refuses to change the column %s of a row that has no outcome yet',
    async (column) => {
      const seq = await started();
      const rewrite = `update support.audit_entry set ${column} = ${column} where seq = $1`;
      await expect(role.query(rewrite, [seq])).rejects.toMatchObject(DENIED);
    },
  );

  it('refuses to delete a row, and to truncate the table', async () => {
    const seq = await started();
    await expect(role.query('delete from support.audit_entry where seq = $1', [seq])).rejects.toMatchObject(DENIED);
    await expect(role.query('truncate support.audit_entry')).rejects.toMatchObject(DENIED);
  });
});
