export * from './app-under-test';
export * from './browser';
export * from './eventually';
export * from './issuers';
export * from './json-server';
export * from './kafka';
export { type Mutation, mutationsOf } from './mutations';
export * from './servers';
export * from './test-database';
