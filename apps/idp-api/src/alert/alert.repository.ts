import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import type { Alert, ReadState } from './alert.rules';

/** What users have marked, and the alerts that the vendor told of and does not list yet. */
@Injectable()
export class AlertRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** What we have of a user's alerts, by one statement. @param alertIds whose marks are wanted, beside those of pushed alerts */
  async findOwn(krn: string, alertIds: readonly number[]): Promise<OwnAlertData> {
    const [row] = await queryPrepared<OwnRow>(this.dataSource, 'alert-own-data', OWN, [krn, alertIds]);
    const { allReadAt = null, pushed = null, marks = null } = row ?? {};
    return {
      pushed: pushed ?? [],
      readState: {
        allReadAt,
        marks: new Map(Object.entries(marks ?? {}).map(([alertId, isRead]) => [Number(alertId), isRead])),
      },
    };
  }

  /** How many alerts the vendor told of and had not listed when its list was last read. */
  async countPushed(krn: string): Promise<number> {
    const [row] = await queryPrepared<{ count: number }>(this.dataSource, 'alert-count-pushed', COUNT_PUSHED, [krn]);
    return row?.count ?? 0;
  }

  /** Forgets pushed alerts: the vendor lists them now. */
  async removePushed(krn: string, alertIds: readonly number[]): Promise<void> {
    await this.dataSource.query(`delete from pushed_alert where krn = $1 and alert_id = any ($2::bigint[])`, [
      krn,
      alertIds,
    ]);
  }

  /** Marks some alerts, by one statement. */
  async mark(krn: string, alertIds: readonly number[], isRead: boolean): Promise<void> {
    await this.dataSource.query(MARK, [krn, alertIds, isRead]);
  }

  /** Marks all alerts that there are, by one statement, however many there are. */
  async markAll(krn: string, isRead: boolean): Promise<void> {
    await this.dataSource.query(MARK_ALL, [krn, isRead]);
  }
}

/** What we have of a user's alerts. */
export interface OwnAlertData {
  /** The newest that the vendor told of, and had not listed when its list was last read. */
  readonly pushed: readonly Alert[];
  readonly readState: ReadState;
}

interface OwnRow {
  allReadAt: Date | null;
  pushed: Alert[] | null;
  marks: Record<string, boolean> | null;
}

const COUNT_PUSHED = `select count(*)::int as count from pushed_alert where krn = $1`;

/** The vendor lists an alert soon after it told of it: there are few. The bound is for a vendor that never does. */
const OWN = `
  with pushed as (
    select alert_id as "alertId", bureau, class, create_date as "createDate", updated_date as "updatedDate"
      from pushed_alert
     where krn = $1
     order by create_date desc
     limit 100
  )
  select m.all_read_at as "allReadAt",
         (select json_agg(p) from pushed p) as pushed,
         (select json_object_agg(s.alert_id, s.is_read)
            from alert_read_state s
           where s.krn = $1
             and s.alert_id = any ($2::bigint[] || array(select "alertId" from pushed))) as marks
    from (select $1::text as krn) u
    left join alert_read_mark m on m.krn = u.krn`;

/** In the order of the ids, so that two bulk marks never wait for each other. */
const MARK = `
  insert into alert_read_state as s (krn, alert_id, is_read)
  select $1, id, $3 from unnest($2::bigint[]) id order by id
  on conflict (krn, alert_id) do update set is_read = excluded.is_read where s.is_read <> excluded.is_read`;

/** The marks of single alerts are exceptions from the last mark of all: that leaves none. */
const MARK_ALL = `
  with dropped as (delete from alert_read_state where krn = $1)
  insert into alert_read_mark (krn, all_read_at) values ($1, case when $2::boolean then now() end)
  on conflict (krn) do update set all_read_at = excluded.all_read_at`;
