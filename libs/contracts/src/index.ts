// TypeScript's decorators record the types of fields only if reflect-metadata is loaded. class-transformer reads these types.
import 'reflect-metadata';

export { type JsonSchema, schemaOfClass, type SchemaConverters, type ValidatedClass } from './documents/class-schema';
export * from './events/coupon-code';
export * from './events/customer-email';
export * from './events/event-definition';
export * from './events/krn';
// topology.ts also exports all events.
export * from './events/topology';
export * from './events/values';
export { compileClass, type FieldRule, type Validator, validatorOf } from './validation/validator';
