import type { MigrationInterface, QueryRunner } from 'typeorm';

const PAGE = 5_000;

/** The retention rule as it was at the time of this migration. Subscriptions that have already ended are treated as if they ended now. */
const FORGET_AT = `
  (select case
            when bool_or(e.type = 'purchased' and e.payment_status = 'captured')
             and max(e.occurred_at) filter (where e.type = 'renewed' or e.type = 'purchased' and e.payment_status = 'captured')
               > coalesce(max(e.occurred_at) filter (where e.type not in ('purchased', 'renewed', 'plan_changed')), '-infinity')
            then null
            else greatest(now(), max(greatest(e.occurred_at, e.effective_at))
                   filter (where e.type not in ('purchased', 'renewed', 'plan_changed'))) + interval '13 months'
          end
     from subscription_event e where e.subscription_id = s.id)`;

const BACKFILL = `
  with page as (select id from subscription where id > $1 order by id limit ${PAGE}),
  aged as (update subscription s set forget_at = ${FORGET_AT} from page where s.id = page.id and s.forget_at is null)
  select max(id) as last from page`;

/**
 * Adds the column `forget_at`: the time at which a subscription is to be deleted together with its events. The time is null while the
 * subscription is paid and no end is known.
 */
export class ForgetEndedSubscriptions1768600000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If the migration fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table subscription add column if not exists forget_at timestamptz');
    await this.cascadeToEvents(runner);
    await runner.query('drop index concurrently if exists subscription_forget_at');
    await runner.query(
      'create index concurrently subscription_forget_at on subscription (forget_at) where forget_at is not null',
    );
    for (let from: string | null = ''; from !== null;) {
      const [page] = (await runner.query(BACKFILL, [from])) as { last: string | null }[];
      from = page?.last ?? null;
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table subscription drop column forget_at');
  }

  /**
   * Makes the deletion of a subscription delete its events. A separate statement validates the constraint, so that rows can be written
   * during the validation.
   */
  private async cascadeToEvents(runner: QueryRunner): Promise<void> {
    await runner.query('alter table subscription_event drop constraint if exists subscription_event_of_subscription');
    await runner.query(
      `alter table subscription_event add constraint subscription_event_of_subscription
         foreign key (subscription_id) references subscription (id) on delete cascade not valid`,
    );
    await runner.query('alter table subscription_event validate constraint subscription_event_of_subscription');
    await runner.query(
      'alter table subscription_event drop constraint if exists subscription_event_subscription_id_fkey',
    );
  }
}
