export * from './eventually';
export * from './kafka';
export * from './servers';
export * from './test-database';
