import { bareParts, readParts, restoreParts, storableParts } from './raw-parts';

const NO_UTF8 = Buffer.from([0x61, 0xff, 0xfe]);

const MESSAGES: [what: string, parts: ReturnType<typeof readParts>][] = [
  ['plain text', readParts(Buffer.from('grüße'), [['ce_id', [Buffer.from('1')]]])],
  ['neither key nor headers', readParts(null, [])],
  ['a key with U+0000', readParts(Buffer.from('a\0b'), [])],
  ['a key that is not UTF-8', readParts(NO_UTF8, [])],
  ['an empty key', readParts(Buffer.alloc(0), [])],
  ['a header that is not UTF-8', readParts(null, [['x', [NO_UTF8]]])],
  ['a header without a value', readParts(null, [['x', [null]]])],
  ['a repeated header', readParts(null, [['x', [Buffer.from('1'), null, NO_UTF8]]])],
  [
    'headers named like inherited properties',
    readParts(null, [
      ['constructor', [NO_UTF8]],
      ['__proto__', [NO_UTF8]],
    ]),
  ],
];

describe('key and headers of a message', () => {
  it('are text, with raw bytes only where text cannot represent them', () => {
    expect(readParts(Buffer.from('a'), [['x', [Buffer.from('1')]]])).toEqual({ key: 'a', headers: { x: '1' } });
    expect(readParts(NO_UTF8, [['x', [null]]])).toEqual({
      key: 'a\ufffd\ufffd',
      headers: {},
      raw: { key: NO_UTF8, headers: { x: [null] } },
    });
  });

  it.each(MESSAGES)('are restored from text and raw bytes: %s', (_, parts) => {
    const stored = JSON.parse(JSON.stringify(storableParts(parts))) as ReturnType<typeof storableParts>;
    expect(restoreParts(stored)).toEqual(parts);
    expect(stored.key ?? '').not.toContain('\0');
  });

  it.each(MESSAGES)('are restored from base64 alone: %s', (_, parts) => {
    const stored = JSON.parse(JSON.stringify(bareParts(parts))) as ReturnType<typeof bareParts>;
    expect(stored).toMatchObject({ key: null, headers: {} });
    expect(restoreParts(stored)).toEqual(parts);
  });
});
