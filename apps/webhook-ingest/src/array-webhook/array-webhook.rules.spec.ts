import { compileClass, IDENTITY_EVENT, validatorOf } from '@tandem/contracts';
import { FIELD_RULES, ValidationFailedError } from '@tandem/http-api';
import { mutationsOf } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { WebhookIngestConfig } from '../config';
import { AlertPushDetails, ArrayDetails, ArrayEnvelope, MonitoringDetails } from './array-webhook.dto';
import { ArrayWebhookReader } from './array-webhook-reader';
import { readArrayWebhook, statementOf } from './array-webhook.rules';

type Json = Record<string, unknown>;

const APP_KEY = 'a';
const reader = new ArrayWebhookReader({ VENDOR_APP_KEY: APP_KEY } as WebhookIngestConfig);

const alert: Json = { bureau: 'EXP', alertType: 'CREDIT_MONITORING', alertSubType: 'NEW', alertId: 4711 };
const body = (service: string, event: string, method: string, details: Json = {}): Json => ({
  service,
  event,
  method,
  path: '/v2',
  details: { appKey: APP_KEY, clientKey: 'c', ...details },
});
const BODIES: [string, Json][] = [
  ['alert', body('alerts', 'push', 'push', alert)],
  ['monitoring', body('monitoring', 'enrollment', 'delete', { productCode: 'CREDIT_SCORE' })],
  ['authentication', body('authentication', '401', 'post')],
  ['unknown webhook', body('billing', 'invoice', 'post', { any: { thing: [1] } })],
];
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('a webhook of the identity vendor', () => {
  it.each(BODIES)(
    'is refused, or results in events that every consumer accepts, however it is mutated (%s)',
    (_name, sample) => {
      const taken = { accepted: 0, refused: 0 };
      for (const { name, json } of mutationsOf(sample)) {
        try {
          const { events } = reader.read({ rawBody: Buffer.from(json), receivedAt: new Date(0) });
          taken.accepted++;
          for (const { data } of events) expect([name, validatorOf(IDENTITY_EVENT)(data)]).toEqual([name, null]);
        } catch (error) {
          if (!(error instanceof ValidationFailedError)) throw error;
          taken.refused++;
        }
      }
      expect(Math.min(taken.accepted, taken.refused)).toBeGreaterThan(50);
    },
  );

  it('results in a valid event even if the name of its bureau is longer in lower case', () => {
    const long = body('alerts', 'push', 'push', { ...alert, bureau: 'İ'.repeat(50) });
    const [event] = reader.read({ rawBody: bytes(long), receivedAt: new Date(0) }).events;
    expect(validatorOf(IDENTITY_EVENT)(event?.data)).toBeNull();
  });

  it('has the same statement as a webhook that differs only in fields that do not affect the event', () => {
    const [, [, monitoring]] = BODIES as [unknown, [string, Json]];
    const other = {
      ...monitoring,
      path: '/v3',
      event: 7,
      details: { ...(monitoring['details'] as Json), note: 'new' },
    };
    const [one, two] = [other, monitoring].map((value) => statementOf(readArrayWebhook(bytes(value), APP_KEY)));
    expect(one).toEqual(two);
  });
});

describe('the compiled validators for webhooks of the identity vendor', () => {
  const samples: [string, new () => object, Json][] = [
    ['ArrayEnvelope', ArrayEnvelope, body('alerts', 'push', 'push', alert)],
    ['ArrayDetails', ArrayDetails, { appKey: APP_KEY, clientKey: 'c' }],
    ['AlertPushDetails', AlertPushDetails, { appKey: APP_KEY, clientKey: 'c', ...alert }],
    ['MonitoringDetails', MonitoringDetails, { appKey: APP_KEY, clientKey: 'c', productCode: 'p' }],
  ];

  it.each(samples)('accept exactly the values that class-validator accepts: %s', (_name, shape, sample) => {
    const validate = compileClass(shape, FIELD_RULES);
    expect(validate(sample)).toBeNull();
    for (const { name, json } of mutationsOf(sample)) {
      const accepted = validate(JSON.parse(json)) === null;
      const value = JSON.parse(json, (key, inner: unknown) => (key in {} ? undefined : inner)) as object;
      expect({ name, accepted }).toEqual({
        name,
        accepted: validateSync(plainToInstance(shape, value)).length === 0,
      });
    }
  });
});
