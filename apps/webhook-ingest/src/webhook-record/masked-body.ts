import { maskEmail } from '@tandem/contracts';
import type { IntegrationName } from '../inbound-webhook/integration';

/** The paths of the fields that are shown unmasked, among them the user's id. `*` stands for any entry of a list. */
const SHOWN: Readonly<Record<IntegrationName, ReadonlySet<string>>> = {
  payments: new Set([
    ...['id', 'type', 'timestamp'],
    ...['subscriptionId', 'customer.krn', 'plan', 'fromPlan', 'toPlan', 'entitlements.*', 'currency', 'amount'].map(
      ofData,
    ),
    ...['paymentStatus', 'firstPayment', 'effectiveAt', 'redeemedAt'].map(ofData),
    ...['items.*.price', 'items.*.quantity', 'items.*.category', 'items.*.tier'].map(ofData),
    ...['attribution.promotionCode', 'attribution.data4'].map(ofData),
  ]),
  array: new Set([
    ...['service', 'event', 'method'],
    ...['clientKey', 'bureau', 'alertType', 'alertSubType', 'alertId', 'productCode'].map((name) => `details.${name}`),
  ]),
};

function ofData(name: string): string {
  return `data.${name}`;
}

const MASK = '***';

/**
 * Returns a body in the form in which an operator may see it. Every value other than null is masked if its field is not listed in `SHOWN`,
 * also in webhooks of unknown types. The e-mail address of a payment's customer is masked only partly.
 */
export const maskedBody = (integration: IntegrationName, body: unknown): unknown =>
  masked(body, '', SHOWN[integration]);

function masked(value: unknown, path: string, shown: ReadonlySet<string>): unknown {
  const inner = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (Array.isArray(value)) return value.map((entry) => masked(entry, inner('*'), shown));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, masked(field, inner(name), shown)]));
  }
  if (value === null || shown.has(path)) return value;
  return path === 'data.customer.email' ? maskedEmail(value) : MASK;
}

const maskedEmail = (value: unknown): string =>
  typeof value === 'string' && value.includes('@') ? maskEmail(value) : MASK;
