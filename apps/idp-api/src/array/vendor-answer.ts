import { applyDecorators } from '@nestjs/common';
import { compileClass, type Validator } from '@tandem/contracts';
import { Type } from 'class-transformer';
import { IsArray, IsObject, ValidateNested } from 'class-validator';
import { VendorError } from './vendor.errors';
import type { VendorRoute } from './vendor-routes';

type Shape<T extends object> = new () => T;

/** Requires a field of an answer to be a list of objects of a class. */
export const ListOf = (of: () => Shape<object>): PropertyDecorator =>
  applyDecorators(Type(of), ValidateNested({ each: true }), IsObject({ each: true }), IsArray());

const validators = new WeakMap<Shape<object>, Validator>();

function validatorOf(type: Shape<object>): Validator {
  let validator = validators.get(type);
  if (!validator) validators.set(type, (validator = compileClass(type)));
  return validator;
}

/** Compiles the validator of an answer in advance. Otherwise the first requests after a start would wait for the compilation. */
export const prepareAnswer = (type: Shape<object>): void => void validatorOf(type);

/**
 * Returns the vendor's answer when it has the agreed shape. Additional fields, which the class does not have, are allowed.
 *
 * @param type a class with class-validator's decorators; its validator is compiled once per process
 * @throws VendorError naming up to ten invalid fields, but never their values
 */
export function checkedAnswer<T extends object>(route: VendorRoute, type: Shape<T>, answer: unknown): T {
  const faults = validatorOf(type)(answer);
  if (faults) throw new VendorError(route, `an answer in an unexpected shape: ${faults.join('; ')}`);
  return answer as T;
}
