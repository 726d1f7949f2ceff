export { withoutContext } from './context';
export * from './data-source';
export { closeClient, DatabaseClient, openClient } from './database-client';
export * from './database.module';
export { Deadline, DeadlineExceededError, runWithDeadline } from './deadline';
export * from './errors';
export * from './field-cipher';
export * from './migrate';
export * from './prepared-query';
