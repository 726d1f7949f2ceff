import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { DataSource } from 'typeorm';
import { ofProfile } from '../profile/profile.errors';

/** Which samples a user requested. */
export interface MockFlags {
  alerts: boolean;
  scans: boolean;
}

const FIND = `select alerts, scans from mock_flag where krn = $1`;

const SET = `
  insert into mock_flag as f (krn, alerts, scans) values ($1, coalesce($2, false), coalesce($3, false))
  on conflict (krn) do update set alerts = coalesce($2, f.alerts), scans = coalesce($3, f.scans)`;

@Injectable()
export class MockRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(krn: string): Promise<MockFlags> {
    const [row] = await queryPrepared<MockFlags>(this.dataSource, 'mock-flag-find', FIND, [krn]);
    return row ?? { alerts: false, scans: false };
  }

  /** Changes the flags that are given, and leaves the others unchanged. */
  async set(krn: string, { alerts = null, scans = null }: Nullable<MockFlags>): Promise<void> {
    await ofProfile(queryPrepared(this.dataSource, 'mock-flag-set', SET, [krn, alerts, scans]));
  }
}

type Nullable<T> = { [Field in keyof T]?: T[Field] | null };
