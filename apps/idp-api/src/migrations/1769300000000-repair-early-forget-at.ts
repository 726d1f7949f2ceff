import type { MigrationInterface, QueryRunner } from 'typeorm';

const PAGE = 5_000;

/** The earliest time at which the subscription `s` may be deleted after its last end, by the retention rule at the time of this migration. */
const KEPT_UNTIL = `
  (select max(greatest(e.occurred_at, e.effective_at)) + interval '13 months' from subscription_event e
    where e.subscription_id = s.id and e.type not in ('purchased', 'renewed', 'plan_changed'))`;

/**
 * Repairs one page of subscriptions: those that follow the id $1. Locks the rows in the order of their ids, as the app does, so that this
 * statement and the app cannot deadlock. The update checks `forget_at` again, because an event may have changed it while the statement
 * waited for the lock.
 */
const REPAIR = `
  with page as (select id from subscription where id > $1 order by id limit ${PAGE}),
  early as (
    select s.id from subscription s join page using (id) where s.forget_at < ${KEPT_UNTIL} order by s.id for update of s),
  repaired as (
    update subscription s set forget_at = ${KEPT_UNTIL} from early where s.id = early.id and s.forget_at < ${KEPT_UNTIL})
  select max(id) as last from page`;

/**
 * Repairs the time at which a subscription is deleted. Earlier versions of the app set it to 13 months after the arrival of a receipt, even
 * if the subscription ends later. The right time is the later of two times:
 * - 13 months after the end, which the stored events contain
 * - 13 months after the arrival of the last event or receipt
 *
 * The wrong time is never earlier than the second of these times, so it is compared only with the first.
 */
export class RepairEarlyForgetAt1769300000000 implements MigrationInterface {
  /** Each page is a transaction, so no row stays locked for long. The migration can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (let from: string | null = ''; from !== null;) {
      const [page] = (await runner.query(REPAIR, [from])) as { last: string | null }[];
      from = page?.last ?? null;
    }
  }

  async down(): Promise<void> {
    // Nothing is undone, because a repaired time is also right for earlier versions of the app.
  }
}
