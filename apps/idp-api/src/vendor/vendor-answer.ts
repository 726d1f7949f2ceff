import { compileClass, type Validator } from '@tandem/contracts';
import { VendorError } from './vendor.errors';
import type { VendorRoute } from './vendor.routes';

type Shape<T extends object> = new () => T;

const validators = new WeakMap<Shape<object>, Validator>();

/**
 * What the vendor answered, when it is what was agreed. Fields that the class does not have are let through.
 *
 * @param type a class with class-validator's decorators, compiled once for a process
 * @throws VendorError naming the fields that are wrong, never a value
 */
export function checkedAnswer<T extends object>(route: VendorRoute, type: Shape<T>, answer: unknown): T {
  let validate = validators.get(type);
  if (!validate) validators.set(type, (validate = compileClass(type)));
  const faults = validate(answer);
  if (faults) throw new VendorError(route, `an answer that was not agreed: ${faults.join('; ')}`);
  return answer as T;
}
