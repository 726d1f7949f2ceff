import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { PartitionService } from '../src/delivery/partition.service';
import { createPostbackDatabase, Dispatcher } from './dispatcher';

const DAY_MS = 86_400_000;
jest.setTimeout(90_000);

describe('the startup of a replica', () => {
  it.each([
    ['all partitions for the new replica exist', false],
    ['the new replica must create a partition', true],
  ])('does not wait while another replica detaches a partition, if %s', async (_, missing) => {
    const database = await createPostbackDatabase();
    const running = await Dispatcher.start({}, database);
    const reader = new Client({ connectionString: database.superuserUrl });
    await reader.connect();
    const partitions = async () =>
      (
        await database.query<{ name: string; pending: boolean }>(
          `select c.relname as name, i.inhdetachpending as pending from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'postback.delivery'::regclass order by 1`,
        )
      ).map((row) => row);
    try {
      await reader.query('begin; select from postback.delivery limit 1');
      const maintaining = running.running.nest
        .get(PartitionService, { strict: false })
        .maintain(new Date(Date.now() + 100 * DAY_MS));
      await eventually(async () => expect((await partitions()).some(({ pending }) => pending)).toBe(true));
      const newest = (await partitions()).at(-1)?.name;
      const starting = missing
        ? Dispatcher.start({ POSTBACK_PARTITION_DAYS: '40' }, database)
        : Dispatcher.start({}, database);
      const timer = setTimeout(() => void reader.query('commit'), 20_000);
      const startedAt = Date.now();
      const next = await starting;
      // The detachment waits for the reader, which ends only after 20 s. The start was faster, so it did not wait.
      expect(Date.now() - startedAt).toBeLessThan(15_000);
      clearTimeout(timer);
      expect((await partitions()).some(({ pending }) => pending)).toBe(true);
      if (missing) expect((await partitions()).at(-1)?.name).not.toBe(newest);
      await reader.query('commit');
      await maintaining;
      await next.stop();
    } finally {
      await reader.end();
      await running.stop();
      await database.drop();
    }
  });
});
