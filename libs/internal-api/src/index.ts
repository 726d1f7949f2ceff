// class-transformer's @Type reads the type metadata that reflect-metadata records.
import 'reflect-metadata';

export * from './contracts/attention';
export * from './contracts/coupons';
export * from './contracts/dead-letters';
export * from './contracts/identity-search';
export * from './contracts/identity-support';
export * from './contracts/identity-support.errors';
export * from './contracts/identity-story';
export * from './contracts/identity-users';
export * from './contracts/personal-data';
export * from './contracts/personal-data-fields';
export * from './contracts/postback-configuration';
export * from './contracts/postback-deliveries';
export * from './contracts/postback-replays';
export * from './contracts/postback-requests';
export * from './contracts/postbacks-of-sales';
export * from './contracts/postbacks.errors';
export * from './contracts/statistics';
export * from './contracts/statistics.decorator';
export * from './contracts/vouchers';
export * from './contracts/vouchers.errors';
export * from './client/internal-client';
export * from './caller/caller.decorator';
export * from './config/service-keys-config';
export * from './authentication/internal-api.module';
export * from './authentication/internal-api-options';
export * from './authentication/service-token.authenticator';
