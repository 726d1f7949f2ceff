export * from './access-tokens';
export * from './auth.errors';
export * from './bearer';
export * from './checkout-token';
export * from './jwt-verifier';
export * from './partner-token';
export * from './service-token';
export * from './standard-webhooks';
