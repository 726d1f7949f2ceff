import { createDataSource } from '@tandem/database';
import { Measurement } from '@tandem/messaging';
import { eventually } from '@tandem/testing';
import type { IdpApiConfig } from '../src/config';
import { ReconciliationRepository } from '../src/enrollment/reconciliation.repository';
import { Idp } from './idp';

describe('the metrics of users', () => {
  let idp: Idp;
  beforeAll(async () => {
    idp = await Idp.start();
  });
  afterAll(() => idp.stop());

  /** Measures now, and returns the metrics. */
  const shown = async (): Promise<Record<string, number>> => {
    await idp.running.nest.get(Measurement, { strict: false }).measure();
    const text = await (await fetch(`${idp.running.url}/metrics`)).text();
    const lines = [...text.matchAll(/^identity_(\w+)\{app="idp-api"(?:,lock="(\w+)")?\} (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, lock, value]) => [lock ?? name, Math.floor(Number(value))]));
  };

  it('count the users who wait, have no attempt left, or have a failed reconciliation, and show that no user is due', async () => {
    const nobody = { waiting: 0, maximum: 0, reconciliations_failing: 0, reconciliation_overdue_seconds: 0 };
    // Only the relay's leader measures, and the process becomes the leader shortly after its start.
    await eventually(async () => expect(await shown()).toEqual(nobody));

    await idp.database.query(
      `insert into idp.verification (krn, attempts, wait_until, authenticated, last_attempt_at) values
         ('waits', 1, now() + interval '15 minutes', false, now()), ('waits too', 2, now() + interval '1 day', false, now()),
         ('has waited', 1, now() - interval '1 second', false, now()), ('has none left', 3, null, false, now()),
         ('was never refused', 0, null, true, now())`,
    );
    await idp.database.query(
      `insert into idp.reconciliation (krn, due_at, failures) values
         ('later', now() + interval '1 day', 0), ('fails', now() + interval '1 hour', 4)`,
    );
    expect(await shown()).toEqual({
      waiting: 2,
      maximum: 1,
      reconciliations_failing: 1,
      reconciliation_overdue_seconds: 0,
    });
  });
});

describe('the queue of users to reconcile with the vendor', () => {
  it('reports how long the longest-waiting user has been due', async () => {
    // The app is not started yet, because its worker would take the users who are due.
    const idp = await Idp.start({ start: false });
    const source = createDataSource({ url: idp.database.urlFor('idp'), applicationName: 'test' });
    await source.initialize();
    await idp.database.query(
      `insert into idp.reconciliation (krn, due_at) values
         ('due', now() - interval '1 minute'), ('due longest', now() - interval '1 hour'), ('later', now() + interval '1 day')`,
    );
    const { overdueSeconds } = await new ReconciliationRepository(source, {} as IdpApiConfig).measure();
    expect(Math.floor(overdueSeconds / 3_600)).toBe(1);
    await source.destroy();
    await idp.stop();
  });
});
