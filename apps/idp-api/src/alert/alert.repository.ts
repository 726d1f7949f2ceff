import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import type { Alert, ReadState } from './alert.rules';

/** What users have marked, and the alerts that the vendor told of and does not list yet. */
@Injectable()
export class AlertRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The newest alerts that the vendor told of, and had not listed when its list was last read. */
  async findPushed(krn: string): Promise<Alert[]> {
    const rows = await queryPrepared<PushedRow>(this.dataSource, 'pushed-alerts', PUSHED, [krn]);
    return rows.map(({ alertId, createDate, updatedDate, ...more }) => ({
      ...more,
      alertId: Number(alertId),
      createDate: createDate.toISOString(),
      updatedDate: updatedDate.toISOString(),
    }));
  }

  /** Forgets pushed alerts: the vendor lists them now. */
  async removePushed(krn: string, alertIds: readonly number[]): Promise<void> {
    await this.dataSource.query(`delete from pushed_alert where krn = $1 and alert_id = any ($2::bigint[])`, [
      krn,
      alertIds,
    ]);
  }

  /** What the user has marked, as far as it concerns these alerts. */
  async findReadState(krn: string, alertIds: readonly number[]): Promise<ReadState> {
    const rows = await queryPrepared<ReadRow>(this.dataSource, 'alert-read-state', READ_STATE, [krn, alertIds]);
    const marked = rows.filter((row): row is ReadRow & { alertId: string } => row.alertId !== null);
    return {
      allReadAt: rows[0]?.allReadAt ?? null,
      marks: new Map(marked.map(({ alertId, isRead }) => [Number(alertId), isRead])),
    };
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

interface PushedRow {
  alertId: string;
  bureau: string;
  class: string;
  createDate: Date;
  updatedDate: Date;
}

interface ReadRow {
  allReadAt: Date | null;
  alertId: string | null;
  isRead: boolean;
}

/** The vendor lists an alert soon after it told of it: there are few. The bound is for a vendor that never does. */
const PUSHED = `
  select alert_id as "alertId", bureau, class, create_date as "createDate", updated_date as "updatedDate"
    from pushed_alert
   where krn = $1
   order by create_date desc
   limit 100`;

const READ_STATE = `
  select m.all_read_at as "allReadAt", s.alert_id as "alertId", s.is_read as "isRead"
    from (select $1::text as krn) u
    left join alert_read_mark m on m.krn = u.krn
    left join alert_read_state s on s.krn = u.krn and s.alert_id = any ($2::bigint[])`;

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
