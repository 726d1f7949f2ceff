import { type EventDefinition, SALE_REVOKED } from '@tandem/contracts';
import type { IncomingMessage } from '@tandem/event-bus';
import { decodeEvent, encodeEvent, EventDecodingError } from './cloud-event';

const definition = SALE_REVOKED as unknown as EventDefinition<object>;
const data = {
  oid: 'sub_1',
  partnerId: 'p_1',
  environment: 'live',
  reason: 'fraud',
  revokedAt: '2026-05-04T10:00:00.000Z',
};

const attributes = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  key: 'sub_1',
  occurredAt: '2026-05-04T10:00:00.000Z',
  version: 4,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

const incoming = (change: Partial<IncomingMessage> = {}): IncomingMessage => ({
  partition: 0,
  offset: '0',
  ...encodeEvent('partner-gateway', definition, data, attributes),
  ...change,
});

const withHeader = (name: string, value: string): IncomingMessage => {
  const message = incoming();
  return { ...message, headers: { ...message.headers, [name]: value } };
};

describe('decoding an event', () => {
  it('returns the encoded event', () => {
    expect(decodeEvent(incoming(), definition)).toEqual({ ...attributes, topic: definition.topic, data });
  });

  it('accepts a message without a key, a trace or a version', () => {
    const message = incoming({ key: null });
    const headers = { ...message.headers };
    delete headers['traceparent'];
    delete headers['ce_sequence'];
    const event = decodeEvent({ ...message, headers }, definition);
    expect(event).toMatchObject({ key: 'sub_1', version: undefined, traceparent: undefined });
  });

  it.each(['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_subject', 'content-type'])(
    'refuses a message whose %s is empty, as if it were missing',
    (name) => {
      expect(() => decodeEvent(withHeader(name, ''), definition)).toThrow(`header ${name} is missing`);
    },
  );

  it.each([
    ['ce_specversion', '0.3'],
    ['ce_id', 'not-a-uuid'],
    ['ce_type', 'sale.completed'],
    ['ce_time', 'yesterday'],
    ['ce_time', '2026-13-45T10:00:00Z'],
    ['ce_subject', 'sub_2'],
    ['content-type', 'application/jsonp'],
    ['content-type', 'text/plain'],
    ['ce_sequence', '-1'],
    ['ce_sequence', '1e3'],
  ])('refuses a %s of %s', (name, value) => {
    expect(() => decodeEvent(withHeader(name, value), definition)).toThrow(EventDecodingError);
  });

  it('refuses a key or an attribute that is not UTF-8, even when its text looks valid', () => {
    const bytes = Buffer.from([0xff]);
    const message = { ...withHeader('ce_subject', '\ufffd'), key: '\ufffd' };
    expect(() => decodeEvent(message, definition)).not.toThrow();
    expect(() => decodeEvent({ ...message, raw: { key: bytes } }, definition)).toThrow('the key is not UTF-8');
    expect(() => decodeEvent({ ...message, raw: { headers: { ce_subject: [bytes] } } }, definition)).toThrow(
      'header ce_subject is not UTF-8',
    );
  });

  it('accepts a content type with a charset', () => {
    expect(() => decodeEvent(withHeader('content-type', 'application/json; charset=utf-8'), definition)).not.toThrow();
  });

  it.each([
    ['a missing value', null, 'the value is missing'],
    ['an empty value', '', 'not JSON'],
    ['broken JSON', '{"oid":', 'not JSON'],
    ['null', 'null', 'must be a JSON object'],
    ['a list', '[]', 'must be a JSON object'],
    ['a number', '7', 'must be a JSON object'],
    ['bytes that are not UTF-8', Buffer.from([0xc3, 0x28]), 'not UTF-8'],
    ['data of another shape', '{"oid":1}', 'oid'],
    ['deeply nested data', `{"oid":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'oid (type)'],
  ])('refuses %s', (_, value, reason) => {
    const message = incoming({ value: typeof value === 'string' ? Buffer.from(value) : value });
    expect(() => decodeEvent(message, definition)).toThrow(EventDecodingError);
    expect(() => decodeEvent(message, definition)).toThrow(reason);
  });

  it.each([
    ['constructor', '{"constructor":{"a":1}}'],
    ['__proto__', '{"__proto__":{"oid":"other"}}'],
    ['toString and hasOwnProperty', '{"toString":1,"hasOwnProperty":1}'],
  ])('accepts an unknown field with the nested key %s', (_, unknown) => {
    const value = Buffer.from(JSON.stringify(data).replace('{', () => `{"addedLater":${unknown},`));
    expect(decodeEvent(incoming({ value }), definition).data).toMatchObject(data);
  });

  it('names the invalid fields, but none of their values', () => {
    const message = incoming({ value: Buffer.from(JSON.stringify({ ...data, reason: 'a secret' })) });
    expect(() => decodeEvent(message, definition)).toThrow('these fields are invalid: reason (enum)');
  });
});
