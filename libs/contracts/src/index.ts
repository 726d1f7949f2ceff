// class-transformer's @Type reads the types that it writes.
import 'reflect-metadata';

export * from './events/coupon';
export * from './events/coupon-code';
export * from './events/customer-email';
export * from './events/enrollment';
export * from './events/event-definition';
export * from './events/payment-received';
export * from './events/postback';
export * from './events/sale';
export * from './events/topology';
export { compileClass, type FieldRule, type Validator, validatorOf } from './validation/validator';
