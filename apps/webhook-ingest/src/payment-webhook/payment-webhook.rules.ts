import type { PaymentType } from '@tandem/contracts';
import { assertValid, problem, readJsonBody } from '../inbound-webhook/webhook-body';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';

/** The type of a webhook, and its data: a plain object that the class of this type in `PAYMENT_DATA` has validated. */
export type PaymentData = {
  [T in PaymentType]: { type: T; data: InstanceType<(typeof PAYMENT_DATA)[T]> };
}[PaymentType];

/** A parsed webhook. `known` is null for a type that this app does not handle. */
export interface PaymentWebhook {
  readonly envelope: PaymentEnvelope;
  /** The body as a string. The body is strict UTF-8, so encoding this string gives exactly the received bytes. */
  readonly text: string;
  readonly known: PaymentData | null;
}

/**
 * Reads a body.
 * @param onlyType the only type that the path accepts; by default, every type is accepted, including unknown types
 * @throws ValidationFailedError when the body is not a JSON object, or a field is missing or invalid; the error names the fields
 */
export function readPaymentWebhook(rawBody: Buffer, onlyType?: PaymentType): PaymentWebhook {
  const { text, value } = readJsonBody(rawBody);
  assertValid(PaymentEnvelope, value, '');
  const envelope = value as PaymentEnvelope;
  if (onlyType !== undefined && envelope.type !== onlyType) {
    throw problem('type', `must be ${onlyType} on this path`);
  }
  if (!isKnownType(envelope.type)) return { envelope, text, known: null };
  assertValid(PAYMENT_DATA[envelope.type], envelope.data, 'data');
  return { envelope, text, known: { type: envelope.type, data: envelope.data } as unknown as PaymentData };
}

function isKnownType(type: string): type is PaymentType {
  return Object.hasOwn(PAYMENT_DATA, type);
}
