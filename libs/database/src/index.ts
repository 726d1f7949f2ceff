export { closeIdleWhenUnusable } from './connection-pool';
export { contractStepsOf } from './contract-steps';
export * from './data-source';
export { canWrite, closeClient, DatabaseClient, openClient } from './database-client';
export * from './database.module';
export { Deadline, DeadlineExceededError, runWithDeadline } from './deadline';
export * from './errors';
export * from './field-cipher';
export * from './migrate';
export type { MigrationClass } from './migration-class';
export { deleteOldRows, type OldRows } from './old-rows';
export * from './prepared-query';
export { readClock } from './read-clock';
export {
  ALL_PARTNERS,
  BUCKET_MS,
  bucketOf,
  countedFor,
  RECOUNT_TIMEOUT_MS,
  type RecountStatements,
  recountStatistics,
  StatisticTable,
} from './statistic-table';
