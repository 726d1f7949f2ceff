export * from './app-under-test';
export * from './eventually';
export * from './kafka';
export { type Mutation, mutationsOf } from './mutations';
export * from './servers';
export * from './test-database';
