export * from './data-source';
export * from './database.module';
export * from './errors';
export * from './field-cipher';
export * from './migrate';
export * from './prepared-query';
