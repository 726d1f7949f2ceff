import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import { ofProfile } from '../profile/profile.errors';
import type { ProfileReading } from '../profile/profile.repository';
import { BUREAUS } from '../array/alerts';
import type { PushedAlert, ReadState } from './alert.rules';

/** Which single alerts the user marked as read (true) or unread (false), by alert id. */
type Marks = Readonly<Record<string, boolean>>;

interface StoredReadState {
  /** When the user last marked all alerts as read, in ISO 8601; null if never, or if the user later marked all alerts as unread. */
  readonly allReadAt: string | null;
  readonly marks: Marks;
}

/** What we store about a user's alerts. */
export interface StoredAlertData {
  readonly ownAlerts: {
    readonly allReadAt: string | null;
    /** The newest alerts that the vendor pushed. */
    readonly pushed: readonly PushedAlert[];
    /**
     * The marks of single alerts. Null when there are more than {@link MAX_MARKS}: the marks of the alerts on a page are then read
     * separately.
     */
    readonly marks: Marks | null;
  };
}

type AlertOwner = Pick<Profile, 'krn'> & StoredAlertData;

/**
 * How many pushed alerts are kept for a user; the oldest ones beyond this number are deleted. A pushed alert is kept even after the vendor
 * lists it, until it reaches `PUSHED_AGE`, because the time at which it was stored decides whether it already existed when the user marked
 * all alerts.
 */
const MAX_PUSHED = 100;
/**
 * The age after which a pushed alert that the vendor has listed is deleted, at the next push for the same user. An alert that the vendor
 * has not listed is not deleted by age, because it would disappear from the user's list.
 */
const PUSHED_AGE = '365 days';
/**
 * How many marks of single alerts are kept for a user. A request may mark any ids, because the app does not check whether alerts with these
 * ids exist. Without this limit, one user could therefore fill the table.
 */
const MAX_KEPT_MARKS = 10_000;
/**
 * If a user has at most this many marks of single alerts, the statement that reads the profile reads all of them. If the user has more, a
 * separate statement that reads only the marks of the alerts on the page is cheaper.
 */
const MAX_MARKS = 200;

const OWN = `
  json_build_object(
    'allReadAt', (select m.all_read_at from alert_read_mark m where m.krn = p.krn),
    'pushed', (select coalesce(json_agg(pushed), '[]')
                 from (select alert_id as "alertId", bureau, class, create_date as "createDate",
                              updated_date as "updatedDate", listed, coalesce(stored_at, create_date) as "storedAt",
                              extract(epoch from now() - coalesce(stored_at, create_date)) as "storedSecondsAgo"
                         from pushed_alert a where a.krn = p.krn order by create_date desc, alert_id desc limit ${MAX_PUSHED}) pushed),
    'marks', (select case when count(*) <= ${MAX_MARKS} then coalesce(json_object_agg(alert_id, is_read), '{}') end
                from (select alert_id, is_read from alert_read_state s where s.krn = p.krn limit ${MAX_MARKS + 1}) marked))`;

/** Adds what we store about the user's alerts to a read of the profile. */
export const OWN_ALERTS: ProfileReading<StoredAlertData> = { name: 'own-alerts', columns: { ownAlerts: OWN } };

/**
 * Reads, in one statement, when the user last marked all alerts as read (`allReadAt`), and the marks of single alerts. Marking all alerts
 * sets this time and deletes these marks. If two statements read them, the first could see the time before such a change, and the second
 * the marks after it.
 */
const READ_STATE = `
  select to_json((select all_read_at from alert_read_mark where krn = $1)) as "allReadAt",
         (select coalesce(json_object_agg(alert_id, is_read), '{}')
            from alert_read_state where krn = $1 and alert_id = any ($2::bigint[])) as marks`;

/** How many pushed alerts of a user have not been seen in the vendor's list. */
export interface PushedAlertCount {
  readonly all: number;
  readonly ofUnknownBureau: number;
}

/** An alert as the vendor reported it by a webhook. */
export interface PushedAlertOfUser {
  readonly krn: string;
  readonly alertId: number;
  readonly bureau: string;
  readonly class: string;
  readonly at: Date;
}

/** A saved row. Postgres returns `alert_id`, which is a bigint, as text. */
interface SavedAlert extends Omit<PushedAlertOfUser, 'alertId'> {
  readonly alertId: string;
  readonly isNew: boolean;
}

/** Stores which alerts users have marked, and the alerts that the vendor pushed. */
@Injectable()
export class AlertRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Returns which alerts the user has marked as read or unread. @param alertIds the alerts whose marks are needed */
  async readStateOf({ krn, ownAlerts }: AlertOwner, alertIds: readonly number[]): Promise<ReadState> {
    const { allReadAt, marks } =
      ownAlerts.marks === null
        ? await this.findReadState(krn, alertIds)
        : { allReadAt: ownAlerts.allReadAt, marks: ownAlerts.marks };
    return {
      allReadAt: allReadAt === null ? null : new Date(allReadAt),
      marks: new Map(Object.entries(marks).map(([alertId, isRead]) => [Number(alertId), isRead])),
      storedAt: new Map(ownAlerts.pushed.map(({ alertId, storedAt }) => [alertId, Date.parse(storedAt)])),
    };
  }

  private async findReadState(krn: string, alertIds: readonly number[]): Promise<StoredReadState> {
    const values = [krn, alertIds];
    const [row] = await queryPrepared<StoredReadState>(this.dataSource, 'alert-read-state', READ_STATE, values);
    return row as StoredReadState;
  }

  /** Counts the pushed alerts of a user that have not been seen in the vendor's list. */
  async countPushed(krn: string): Promise<PushedAlertCount> {
    const values = [krn, BUREAUS];
    const [row] = await queryPrepared<PushedAlertCount>(this.dataSource, 'alert-count-pushed', COUNT_PUSHED, values);
    return row as PushedAlertCount;
  }

  /**
   * Saves alerts that the vendor pushed. Then deletes old pushed alerts of the same users: those beyond the newest {@link MAX_PUSHED}, and
   * those that the vendor has listed and that are older than {@link PUSHED_AGE}. The caller has locked the rows of the users' profiles.
   *
   * @returns the alerts that were not stored before
   */
  async savePushed(manager: EntityManager, alerts: readonly PushedAlertOfUser[]): Promise<PushedAlertOfUser[]> {
    const saved = await queryPrepared<SavedAlert>(runnerOf(manager), 'alert-save-pushed', SAVE_PUSHED, [
      alerts.map(({ krn }) => krn),
      alerts.map(({ alertId }) => alertId),
      alerts.map(({ bureau }) => bureau),
      alerts.map((alert) => alert.class),
      alerts.map(({ at }) => at),
    ]);
    await queryPrepared(runnerOf(manager), 'alert-trim-pushed', TRIM_PUSHED, [alerts.map(({ krn }) => krn)]);
    return saved.flatMap(({ isNew, alertId, ...alert }) => (isNew ? [{ ...alert, alertId: Number(alertId) }] : []));
  }

  /**
   * Records that the vendor now lists these pushed alerts. An alert whose row is locked, for example because the alert is being
   * pushed again, is skipped: a later read of the list then records that the alert is listed.
   */
  async saveListed(krn: string, alertIds: readonly number[]): Promise<void> {
    await this.dataSource.query(SAVE_LISTED, [krn, alertIds]);
  }

  /** Marks some alerts with one statement, and drops the oldest marks beyond {@link MAX_KEPT_MARKS} with a second one. */
  async mark(krn: string, alertIds: readonly number[], isRead: boolean): Promise<void> {
    await ofProfile(this.dataSource.query(MARK, [krn, alertIds, isRead]));
    await this.dataSource.query(TRIM_MARKS, [krn, MAX_KEPT_MARKS]);
  }

  /** Marks all current alerts. This takes one statement, however many alerts there are. */
  async markAll(krn: string, isRead: boolean): Promise<void> {
    await ofProfile(this.dataSource.query(MARK_ALL, [krn, isRead]));
  }
}

/**
 * Saves pushed alerts. When an alert is pushed again, the latest content is stored. The alert's place in the list still depends on the time
 * of the first push, and `stored_at` does not change. `isNew` is true for an alert that was not stored before: its select sees the table as
 * it was before the statement.
 */
const SAVE_PUSHED = `
  insert into pushed_alert as a (krn, alert_id, bureau, class, create_date, updated_date)
  select distinct on (krn, alert_id) krn, alert_id, bureau, class, min(at) over (partition by krn, alert_id), at
    from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality
         as told (krn, alert_id, bureau, class, at, n)
   order by krn, alert_id, at desc, n desc
  on conflict (krn, alert_id) do update set
    bureau = case when excluded.updated_date >= a.updated_date then excluded.bureau else a.bureau end,
    class = case when excluded.updated_date >= a.updated_date then excluded.class else a.class end,
    create_date = least(a.create_date, excluded.create_date),
    updated_date = greatest(a.updated_date, excluded.updated_date)
  returning krn, alert_id as "alertId", bureau, class, create_date as at,
    not exists (select from pushed_alert former where former.krn = a.krn and former.alert_id = a.alert_id) as "isNew"`;

const TRIM_PUSHED = `
  delete from pushed_alert where (krn, alert_id) in (
    select krn, alert_id
      from (select krn, alert_id, listed and create_date < now() - interval '${PUSHED_AGE}' as is_old,
                   row_number() over (partition by krn order by create_date desc, alert_id desc) as place
              from pushed_alert where krn = any ($1::text[])) ranked
     where place > ${MAX_PUSHED} or is_old)`;

/**
 * Marks pushed alerts as listed. Locked rows are skipped, because a request that lists alerts must not wait for the transaction that stores
 * a batch of pushed alerts.
 */
const SAVE_LISTED = `
  update pushed_alert set listed = true where (krn, alert_id) in (
    select krn, alert_id from pushed_alert where krn = $1 and alert_id = any ($2::bigint[]) for update skip locked)`;

const COUNT_PUSHED = `
  select count(*)::int as all, (count(*) filter (where bureau <> all ($2::text[])))::int as "ofUnknownBureau"
    from pushed_alert where krn = $1 and not listed`;

/** Locks the profile's row before the rows of the marks, as the delete of a profile does, so that a mark and a delete cannot deadlock. */
const OWNER = 'with owner as (select krn from profile where krn = $1 for key share)';

/** Marks single alerts, in the order of their ids, so that two requests that mark the same alerts cannot deadlock. */
const MARK = `
  ${OWNER}
  insert into alert_read_state as s (krn, alert_id, is_read)
  select $1, id, $3 from unnest($2::bigint[]) id left join owner on true order by id
  on conflict (krn, alert_id) do update set is_read = excluded.is_read, marked_at = excluded.marked_at
    where s.is_read <> excluded.is_read`;

/**
 * Drops all marks of a user except the newest $2 marks. Locked rows are skipped, so that the statement does not wait for another
 * request of the user. The ids are collected in an array: otherwise Postgres, when it expects a user to have few marks, would run the inner
 * statement once for each mark.
 */
const TRIM_MARKS = `
  delete from alert_read_state where krn = $1 and alert_id = any (array(
    select alert_id from alert_read_state where krn = $1
     order by marked_at desc, alert_id desc offset $2 for update skip locked))`;

/** Marks all alerts, and deletes the marks of single alerts, because they were exceptions to the previous marking of all alerts. */
const MARK_ALL = `
  ${OWNER},
  dropped as (delete from alert_read_state where krn = (select krn from owner))
  insert into alert_read_mark (krn, all_read_at)
  select $1, case when $2::boolean then now() end from (select) one left join owner on true
  on conflict (krn) do update set all_read_at = excluded.all_read_at`;
