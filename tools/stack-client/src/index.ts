export * from './billing';
export * from './http';
export * from './stack';
export * from './users';
export * from './vendor';
export * from './webhooks';
