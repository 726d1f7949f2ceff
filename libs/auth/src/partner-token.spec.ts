import { createHash } from 'node:crypto';
import { generatePartnerToken, hashPartnerToken, parsePartnerToken } from './partner-token';

describe('a partner token', () => {
  it.each(['live', 'test'] as const)(
    'consists of the prefix ptk_%s_, 32 base62 characters and a 6-character checksum [tokens.format]',
    (environment) => {
      expect(generatePartnerToken(environment)).toMatch(
        new RegExp(`^ptk_${environment}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$`),
      );
    },
  );

  it('reveals its environment when it is parsed', () => {
    expect(parsePartnerToken(generatePartnerToken('live'))).toEqual({ environment: 'live' });
    expect(parsePartnerToken(generatePartnerToken('test'))).toEqual({ environment: 'test' });
  });

  it('ends with the CRC32 of everything before it [tokens.format]', () => {
    expect(
      parsePartnerToken(`ptk_live_${'0'.repeat(32)}${base62(crc32(`ptk_live_${'0'.repeat(32)}`))}`),
    ).not.toBeNull();
  });

  it('is unique among 1,000 tokens', () => {
    const tokens = Array.from({ length: 1000 }, () => generatePartnerToken('live'));
    expect(new Set(tokens).size).toBe(1000);
  });

  it('is refused when any one character after the prefix is changed [tokens.format]', () => {
    const token = generatePartnerToken('live');
    for (let index = 9; index < token.length; index += 1) {
      const other = token[index] === 'x' ? 'y' : 'x';
      expect(parsePartnerToken(token.slice(0, index) + other + token.slice(index + 1))).toBeNull();
    }
  });

  it('is refused when the prefix of a live token is changed to test [tokens.mode-in-credential]', () => {
    expect(parsePartnerToken(generatePartnerToken('live').replace('live', 'test'))).toBeNull();
  });

  it.each([
    ['an empty text', ''],
    ['a prefix alone', 'ptk_live_'],
    ['another prefix', generatePartnerToken('live').replace('ptk', 'pkt')],
    ['another environment', generatePartnerToken('live').replace('live', 'prod')],
    ['one more character', `${generatePartnerToken('live')}0`],
    ['one character less', generatePartnerToken('live').slice(0, -1)],
    ['a line end', `${generatePartnerToken('live')}\n`],
    ['a leading space', ` ${generatePartnerToken('live')}`],
    ['a symbol', `ptk_live_${'-'.repeat(38)}`],
  ])('is refused: %s', (_name, text) => {
    expect(parsePartnerToken(text)).toBeNull();
  });

  it('is hashed with SHA-256 [tokens.hashed]', () => {
    const token = generatePartnerToken('live');
    expect(hashPartnerToken(token)).toEqual(createHash('sha256').update(token).digest());
  });
});

/** CRC-32 (IEEE 802.3) computed bit by bit, independently of the code under test. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = `${digits[rest % 62]}${text}`;
  return text;
}
