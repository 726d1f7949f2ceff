import { IDENTITY_EVENT, type IdentityEvent } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import { eventually } from '@tandem/testing';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import type { Idp, TestUser } from './idp';

export type VendorEvent = Omit<IdentityEvent, 'arrayUserId' | 'receivedAt'> & { receivedAt?: string };

export const secondsAgo = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

/** Returns the event that webhook-ingest publishes about a user. `receivedAt` is now, unless `event` contains it. */
export const eventOf = (arrayUserId: string, event: VendorEvent): IdentityEvent => ({
  arrayUserId,
  receivedAt: new Date().toISOString(),
  ...event,
});

/** Publishes events as webhook-ingest does. */
export function publishEvents(idp: Idp, ...events: IdentityEvent[]): Promise<void> {
  const outbox = idp.running.nest.get(Outbox);
  return outbox.transaction((manager) =>
    outbox.addMany(
      manager,
      IDENTITY_EVENT,
      events.map((data) => ({ data })),
    ),
  );
}

/** Publishes reports of the vendor about a user. Resolves when idp-api has handled them, or has stored them as dead letters. */
export async function report(idp: Idp, user: TestUser, ...events: VendorEvent[]): Promise<void> {
  await publishEvents(idp, ...events.map((event) => eventOf(arrayUserIdOf(user.krn), event)));
  await handledAll(idp);
}

/** Resolves when every published identity.event has been handled, or has become a dead letter. */
export async function handledAll(idp: Idp): Promise<void> {
  const ids = (await idp.database.publishedEvents('idp', 'identity.event', '')).map(({ id }) => id);
  await eventually(async () => {
    const inbox = await idp.database.query('select 1 from idp.inbox where event_id = any ($1::uuid[])', [ids]);
    const dead = await idp.database.query('select 1 from idp.dead_letter where event_id = any ($1::uuid[])', [ids]);
    expect(inbox.length + dead.length).toBeGreaterThanOrEqual(ids.length);
  });
}
