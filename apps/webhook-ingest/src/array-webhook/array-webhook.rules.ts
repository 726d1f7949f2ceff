import type { IdentityEvent, IdentityEventType } from '@tandem/contracts';
import type { Statement } from '../inbound-webhook/integration';
import { assertValid, problem, readJsonBody } from '../inbound-webhook/webhook-body';
import { AlertPushDetails, ArrayDetails, ArrayEnvelope, MonitoringDetails } from './array-webhook.dto';

/** A parsed webhook. `known` contains the data of the resulting event, except `receivedAt`. It is null if the webhook's type is unknown. */
export interface ArrayWebhook {
  readonly envelope: ArrayEnvelope;
  readonly clientKey: string;
  /** The body as a string. The body is strict UTF-8, so encoding this string gives exactly the received bytes. */
  readonly text: string;
  readonly known: Omit<IdentityEvent, 'receivedAt'> | null;
}

/** The known values of `method` in webhooks of the service `monitoring`, each with the type of the event that results from it. */
export const MONITORING_METHODS = new Map<string, IdentityEventType>([
  ['post', 'enrollment_started'],
  ['delete', 'enrollment_cancelled'],
]);
/** The known values of `event` in webhooks of the service `authentication`, each with the type of the event that results from it. */
export const AUTHENTICATION_EVENTS = new Map<string, IdentityEventType>([
  ['200', 'identity_verified'],
  ['401', 'identity_refused'],
]);
/** Matches a positive integer of up to 15 digits, which a JavaScript number represents exactly. */
export const NUMERIC_TEXT = /^[1-9]\d{0,14}$/;

/**
 * Reads a body.
 *
 * @param ownAppKey the key that the vendor has given to the platform
 * @throws ValidationFailedError when the body is not a JSON object, when a field is missing or invalid, or when `details.appKey` is not the
 * given key; the error names the fields
 */
export function readArrayWebhook(rawBody: Buffer, ownAppKey: string): ArrayWebhook {
  const { text, value } = readJsonBody(rawBody);
  const body = withTextOfEvent(value);
  assertValid(ArrayEnvelope, body, '');
  const envelope = body as ArrayEnvelope;
  assertValid(ArrayDetails, envelope.details, 'details');
  const { appKey, clientKey } = envelope.details as unknown as ArrayDetails;
  // The key is not a credential: the caller was authenticated before. The key only says to which platform the user belongs.
  if (appKey !== ownAppKey) throw problem('details.appKey', 'must be the key of this platform');
  return { envelope, clientKey, text, known: meaningOf(envelope) };
}

function meaningOf(envelope: ArrayEnvelope): ArrayWebhook['known'] {
  const { service, event, method } = envelope;
  if (service === 'alerts' && event === 'push' && method === 'push') return alertPushed(envelope);
  const monitoring = service === 'monitoring' ? MONITORING_METHODS.get(method) : undefined;
  if (monitoring) return enrollmentChanged(monitoring, envelope);
  const authentication = service === 'authentication' ? AUTHENTICATION_EVENTS.get(event) : undefined;
  if (!authentication) return null;
  const { clientKey } = envelope.details as unknown as ArrayDetails;
  return { arrayUserId: clientKey, type: authentication };
}

function alertPushed(envelope: ArrayEnvelope): ArrayWebhook['known'] {
  const given = withNumberOfAlert(envelope.details);
  assertValid(AlertPushDetails, given, 'details');
  const { clientKey, bureau, alertType, alertSubType, alertId } = given as AlertPushDetails;
  return {
    arrayUserId: clientKey,
    type: 'alert_pushed',
    alert: {
      alertId,
      bureau: bureau.toLowerCase(),
      class: alertType,
      ...(alertSubType ? { subType: alertSubType } : {}),
    },
  };
}

function enrollmentChanged(type: IdentityEventType, { details }: ArrayEnvelope): ArrayWebhook['known'] {
  assertValid(MonitoringDetails, details, 'details');
  const { clientKey, productCode } = details as unknown as MonitoringDetails;
  return { arrayUserId: clientKey, type, productCode };
}

/**
 * Returns what a webhook states, that is, its subject and content, by which its duplicates are recognized. An alert is a duplicate if the same alert
 * was stored within the window. Any other webhook is a duplicate if it repeats a delivery, or if the last webhook about its subject had the same
 * content. Three webhooks that report an enrollment as cancelled, started and cancelled are therefore all new. Two webhooks in a row that report an
 * enrollment as cancelled are both new if their `webhook-id`s differ, because the enrollment may have started in between without a webhook.
 */
export function statementOf({ envelope, clientKey, known }: ArrayWebhook): Statement {
  if (known === null) {
    return { subject: JSON.stringify(['other', envelope.service, clientKey]), content: canonical(envelope) };
  }
  const { type, alert, productCode } = known;
  if (alert) {
    const { bureau, class: alertType, subType, alertId } = alert;
    const subject = JSON.stringify(['alert', clientKey, bureau, alertType, subType ?? null, alertId]);
    return { subject, content: type };
  }
  const subject = JSON.stringify([envelope.service, clientKey, productCode ?? null]);
  return { subject, content: type, isNewByWebhookId: productCode !== undefined };
}

/** Returns JSON that is the same for any order of the fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

const withTextOfEvent = (body: { event?: unknown }): object =>
  Number.isInteger(body.event) ? { ...body, event: String(body.event) } : body;

const withNumberOfAlert = (details: { alertId?: unknown }): object => {
  const { alertId } = details;
  return typeof alertId === 'string' && NUMERIC_TEXT.test(alertId) ? { ...details, alertId: Number(alertId) } : details;
};
