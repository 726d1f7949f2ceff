export * from './answer-check';
export * from './document';
export * from './requests';
export { type KnownValues } from './values';
