import { errorTextOf, KEPT_RESPONSE_BYTES, keptResponse, stageOf, UNSENT_ERRORS } from './attempt.rules';

describe('keptResponse', () => {
  const bearer = { key: 'a-"quoted"-secret', authMethod: 'Bearer' } as const;
  const keptOf = (text: string, target: Parameters<typeof keptResponse>[1] = bearer): string =>
    keptResponse([Buffer.from(text)], target);

  it('redacts the key, also in its escaped form in a JSON answer', () => {
    expect(keptOf(`you sent ${bearer.key}`)).toBe('you sent [redacted]');
    expect(keptOf(JSON.stringify({ sent: bearer.key }))).toBe('{"sent":"[redacted]"}');
  });

  it('redacts the Base64 credentials of Basic authentication', () => {
    const basic = { key: 'shop:a-secret-of-the-shop', authMethod: 'Basic' } as const;
    expect(keptOf(`Basic ${Buffer.from(basic.key).toString('base64')}`, basic)).toBe('Basic [redacted]');
  });

  it('redacts the credentials in JSON with escaped slashes, which PHP writes', () => {
    const basic = { key: 'shop:??>>??>>', authMethod: 'Basic' } as const;
    const credentials = Buffer.from(basic.key).toString('base64');
    expect(credentials).toContain('/');
    expect(keptOf(`"Basic ${credentials.replaceAll('/', '\\/')}"`, basic)).toBe('"Basic [redacted]"');
  });

  it('redacts the beginning of a key when the key is cut off at the limit of 2 KiB', () => {
    const before = '.'.repeat(KEPT_RESPONSE_BYTES - 10);
    expect(keptOf(before + bearer.key)).toBe(`${before}[redacted]`);
  });

  it.each(['e', 'x', '[', '\\', 'red', '.*'])(
    'redacts each occurrence of the short key %j once, without exceeding 2 KiB',
    (key) => {
      const short = { key, authMethod: 'Bearer' } as const;
      expect(keptOf(`1${key}2${key}3`, short)).toBe('1[redacted]2[redacted]3');
      expect(keptOf(key.repeat(KEPT_RESPONSE_BYTES), short)).toHaveLength(KEPT_RESPONSE_BYTES);
    },
  );

  it.each(['\u0001', '\0', '\u001f', '\ufffd', '\u{1f600}'])(
    'keeps at most 2 KiB, without control characters, of an answer that consists of %j',
    (character) => {
      const kept = keptOf(character.repeat(KEPT_RESPONSE_BYTES));
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(KEPT_RESPONSE_BYTES);
      expect(Buffer.byteLength(JSON.stringify(kept))).toBe(Buffer.byteLength(kept) + 2);
    },
  );

  it('keeps at most 2 KiB of an answer that is not valid UTF-8', () => {
    const kept = keptResponse([Buffer.alloc(2 * KEPT_RESPONSE_BYTES, 0xff)], bearer);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(KEPT_RESPONSE_BYTES);
  });

  it('keeps line breaks and tabs', () => {
    expect(keptOf('one\r\n\ttwo')).toBe('one\r\n\ttwo');
  });

  it('does not redact the end of an answer that matches only the first few characters of the key', () => {
    expect(keptOf('not a-"quo')).toBe('not a-"quo');
  });
});

describe('stageOf', () => {
  const stage = (code: string, phase: Parameters<typeof stageOf>[1]) =>
    stageOf(Object.assign(new Error('failed'), { code }), phase);

  it.each([
    ['ESSRFREFUSED', 'ssrf_refused', 'reset', 'body'],
    ['ENOTFOUND', 'dns', 'reset', 'body'],
    ['ECONNREFUSED', 'connect', 'reset', 'body'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect', 'reset', 'body'],
    ['ETIMEDOUT', 'connect', 'reset', 'body'],
    ['ECONNRESET', 'connect', 'reset', 'body'],
    ['UND_ERR_SOCKET', 'connect', 'reset', 'body'],
    ['UND_ERR_DESTROYED', 'connect', 'reset', 'body'],
    ['UND_ERR_INVALID_ARG', 'connect', 'protocol', 'body'],
    ['HPE_INVALID_CONSTANT', 'connect', 'protocol', 'body'],
    ['EPROTO', 'tls', 'reset', 'body'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'reset', 'body'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', 'reset', 'body'],
  ] as const)(
    'returns, for %s, %s while connecting (nothing was sent), %s while waiting and %s while reading',
    (code, connecting, waiting, reading) => {
      const stages = [connecting, waiting, reading];
      const phases = ['connecting', 'waiting', 'reading'] as const;
      expect(phases.map((phase) => stage(code, phase))).toEqual(stages);
      const texts = stages.map((stage) => errorTextOf({ stage, detail: code }));
      expect(texts.map(isUnsent)).toEqual([true, false, false]);
    },
  );
});

describe('UNSENT_ERRORS', () => {
  it('match the error of a timeout only if it happened while connecting', () => {
    const texts = ['connecting', 'waiting', 'reading'].map((detail) => errorTextOf({ stage: 'timeout', detail }));
    expect(texts.map(isUnsent)).toEqual([true, false, false]);
  });

  it('do not match a success, or an error of the stage status or protocol', () => {
    const texts = [
      errorTextOf({ stage: 'status', detail: null }),
      errorTextOf({ stage: 'protocol', detail: '100 Continue' }),
      errorTextOf({ stage: null, detail: null }),
    ];
    expect(texts.some(isUnsent)).toBe(false);
  });
});

const isUnsent = (text: string | null): boolean => UNSENT_ERRORS.some((unsent) => text?.startsWith(unsent));
