import type { PaymentType } from '@tandem/contracts';
import { fieldProblems, MAX_NESTING, nestingDepth, ValidationFailedError } from '@tandem/service-defaults';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';

/** The data of a webhook, by its type. */
export type PaymentData = {
  [T in PaymentType]: { type: T; data: InstanceType<(typeof PAYMENT_DATA)[T]> };
}[PaymentType];

/** A webhook that was read: `known` is null for a type that nobody here understands. */
export interface PaymentWebhook {
  readonly envelope: PaymentEnvelope;
  /** The body as text: exactly the bytes that came, which are strict UTF-8. */
  readonly text: string;
  readonly known: PaymentData | null;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_PROBLEMS = 10;

/**
 * Reads a body.
 * @param onlyType the one known type that its path takes; unknown types are ignored on every path
 * @throws ValidationFailedError naming the fields that are missing or wrong
 */
export function readPaymentWebhook(rawBody: Buffer, onlyType?: PaymentType): PaymentWebhook {
  const text = textOf(rawBody);
  const envelope = validated(PaymentEnvelope, objectOf(text), '');
  if (!isKnownType(envelope.type)) return { envelope, text, known: null };
  if (onlyType !== undefined && envelope.type !== onlyType) {
    throw problem('type', `must be ${onlyType} on this path`);
  }
  const data = validated<object>(PAYMENT_DATA[envelope.type], envelope.data, 'data');
  return { envelope, text, known: { type: envelope.type, data } as PaymentData };
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

function validated<T extends object>(Shape: new () => T, plain: object, parent: string): T {
  // Not `enableImplicitConversion`: a number where a string belongs is the sender's error.
  const instance = plainToInstance(Shape, plain);
  const errors = validateSync(instance, { validationError: { target: false, value: false } });
  if (errors.length > 0) throw new ValidationFailedError(fieldProblems(errors, parent).slice(0, MAX_PROBLEMS));
  return instance;
}

function problem(field: string, message: string): ValidationFailedError {
  return new ValidationFailedError([{ field, message }]);
}
