import { compileClass, type Validator } from '@tandem/contracts';
import { FIELD_RULES, fieldProblems, MAX_NESTING, nestingDepth, ValidationFailedError } from '@tandem/http-api';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

type Shape = new () => object;

/** A request body that is a JSON object. */
export interface JsonBody {
  /** The body as a string. The body is strict UTF-8, so encoding this string gives exactly the received bytes. */
  readonly text: string;
  readonly value: object;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_PROBLEMS = 10;
const validators = new Map<Shape, Validator>();

/** Parses a body. @throws ValidationFailedError when the bytes are not UTF-8 or not a JSON object, or when they are nested too deeply */
export function readJsonBody(rawBody: Buffer): JsonBody {
  const text = textOf(rawBody);
  return { text, value: objectOf(text) };
}

function textOf(rawBody: Buffer): string {
  try {
    return utf8.decode(rawBody);
  } catch {
    throw problem('body', 'must be UTF-8');
  }
}

function objectOf(text: string): object {
  if (nestingDepth(text) > MAX_NESTING) throw problem('body', `must not be nested deeper than ${MAX_NESTING}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem('body', 'must be JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problem('body', 'must be a JSON object');
  return value;
}

/**
 * Validates data. The compiled validator decides whether the data is valid. Only if the data is invalid, class-validator, which is many
 * times slower, finds the problems.
 *
 * @param parent the name of the field that contains the data; empty for the body itself
 * @throws ValidationFailedError naming up to 10 of the fields that are missing or invalid
 */
export function assertValid(shape: Shape, data: object, parent: string): void {
  if (validatorOfShape(shape)(data) === null) return;
  // `enableImplicitConversion` stays off, because a number in place of a string is an error that the sender must see.
  const instance = plainToInstance(shape, withoutInheritedNames(data) as object);
  const errors = validateSync(instance, { validationError: { target: false, value: false } });
  throw new ValidationFailedError(fieldProblems(errors, parent).slice(0, MAX_PROBLEMS));
}

/** Returns the validator of a class. Each class is compiled only once per process. */
function validatorOfShape(shape: Shape): Validator {
  let validator = validators.get(shape);
  if (!validator) validators.set(shape, (validator = compileClass(shape, FIELD_RULES)));
  return validator;
}

/**
 * Removes fields with a name that every object inherits, such as `constructor`. No known field has such a name, and class-transformer fails
 * on a nested `constructor`.
 */
function withoutInheritedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInheritedNames);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !(name in Object.prototype));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutInheritedNames(inner)]));
}

/** Creates a validation error about one field. */
export function problem(field: string, message: string): ValidationFailedError {
  return new ValidationFailedError([{ field, message }]);
}
