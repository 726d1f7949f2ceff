// class-transformer's @Type reads the types that it writes.
import 'reflect-metadata';

export * from './events/coupon-code';
export * from './events/customer-email';
export * from './events/event-definition';
// With the events themselves.
export * from './events/topology';
export { compileClass, type FieldRule, type Validator, validatorOf } from './validation/validator';
