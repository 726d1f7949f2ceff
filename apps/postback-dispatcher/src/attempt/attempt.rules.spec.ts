import { KEPT_RESPONSE_BYTES, keptResponse } from './attempt.rules';

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

  it('redacts the credentials in JSON whose slashes are escaped, as by PHP', () => {
    const basic = { key: 'shop:??>>??>>', authMethod: 'Basic' } as const;
    const credentials = Buffer.from(basic.key).toString('base64');
    expect(credentials).toContain('/');
    expect(keptOf(`"Basic ${credentials.replaceAll('/', '\\/')}"`, basic)).toBe('"Basic [redacted]"');
  });

  it('redacts the beginning of a key that is cut off at the end of the kept part', () => {
    const before = '.'.repeat(KEPT_RESPONSE_BYTES - 10);
    expect(keptOf(before + bearer.key)).toBe(`${before}[redacted]`);
  });

  it('keeps the end of an answer that equals only the first few characters of the key', () => {
    expect(keptOf('not a-"quo')).toBe('not a-"quo');
  });
});
