export * from './compose-file';
export * from './container';
