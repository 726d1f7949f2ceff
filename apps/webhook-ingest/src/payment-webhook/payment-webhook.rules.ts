import { compileClass, type PaymentType, type Validator } from '@tandem/contracts';
import { FIELD_RULES, fieldProblems, MAX_NESTING, nestingDepth, ValidationFailedError } from '@tandem/service-defaults';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';

/** The data of a webhook, by its type: a plain object, which its class accepts. */
export type PaymentData = {
  [T in PaymentType]: { type: T; data: InstanceType<(typeof PAYMENT_DATA)[T]> };
}[PaymentType];

type Shape = new () => object;

/** A webhook that was read: `known` is null for a type that nobody here understands. */
export interface PaymentWebhook {
  readonly envelope: PaymentEnvelope;
  /** The body as text: exactly the bytes that came, which are strict UTF-8. */
  readonly text: string;
  readonly known: PaymentData | null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_PROBLEMS = 10;
const validators = new Map<Shape, Validator>();

/**
 * Reads a body.
 * @param onlyType the one known type that its path takes; unknown types are ignored on every path
 * @throws ValidationFailedError naming the fields that are missing or wrong
 */
export function readPaymentWebhook(rawBody: Buffer, onlyType?: PaymentType): PaymentWebhook {
  const text = textOf(rawBody);
  const body = objectOf(text);
  assertValid(PaymentEnvelope, body, '');
  const envelope = body as PaymentEnvelope;
  if (!isKnownType(envelope.type)) return { envelope, text, known: null };
  if (onlyType !== undefined && envelope.type !== onlyType) {
    throw problem('type', `must be ${onlyType} on this path`);
  }
  assertValid(PAYMENT_DATA[envelope.type], envelope.data, 'data');
  return { envelope, text, known: { type: envelope.type, data: envelope.data } as unknown as PaymentData };
}

function isKnownType(type: string): type is PaymentType {
  return Object.hasOwn(PAYMENT_DATA, type);
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
 * The compiled class says whether the data is right, and class-validator, which is many times slower, what is wrong with it.
 * @throws ValidationFailedError
 */
function assertValid(shape: Shape, data: object, parent: string): void {
  if (validatorOfShape(shape)(data) === null) return;
  // Not `enableImplicitConversion`: a number where a string belongs is the sender's error.
  const instance = plainToInstance(shape, withoutInheritedNames(data) as object);
  const errors = validateSync(instance, { validationError: { target: false, value: false } });
  throw new ValidationFailedError(fieldProblems(errors, parent).slice(0, MAX_PROBLEMS));
}

/** Compiled once a process. */
function validatorOfShape(shape: Shape): Validator {
  let validator = validators.get(shape);
  if (!validator) validators.set(shape, (validator = compileClass(shape, FIELD_RULES)));
  return validator;
}

/** No field of ours has a name that every object inherits, and class-transformer breaks on a nested `constructor`. */
function withoutInheritedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutInheritedNames);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !(name in Object.prototype));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutInheritedNames(inner)]));
}

function problem(field: string, message: string): ValidationFailedError {
  return new ValidationFailedError([{ field, message }]);
}
