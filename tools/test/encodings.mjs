import { createHash } from 'node:crypto';

const HASHES = ['md5', 'sha1', 'sha256', 'sha512'];

/**
 * Returns the common forms in which a program may have written a value: unchanged, in another case, reversed, encoded, or hashed without a
 * key. A hash without a key is included, because anybody who can list all possible values can find out which of them has this hash.
 *
 * @param {string} value  at least 8 characters, because shorter values are also found by chance
 * @returns {Map<string, Buffer>} the bytes of each form, by the name of the form
 */
export function formsOf(value) {
  const cases = { '': value, ' in lower case': value.toLowerCase(), ' in upper case': value.toUpperCase() };
  const forms = Object.entries(cases).flatMap(
    ([name, text]) =>
      /** @type {[string, Buffer][]} */ ([
        ...Object.entries(encodingsOf(Buffer.from(text))).map(([encoding, form]) => [`${encoding}${name}`, form]),
        [`UTF-16${name}`, Buffer.from(text, 'utf16le')],
        [`URL encoding${name}`, Buffer.from(encodeURIComponent(text))],
        [`form encoding${name}`, Buffer.from(new URLSearchParams({ '': text }).toString().slice(1))],
        ...HASHES.flatMap((hash) => {
          const digest = createHash(hash).update(text).digest();
          const inText = /** @type {const} */ (['hex', 'base64']).map((encoding) => [
            `${hash} as ${encoding}${name}`,
            Buffer.from(digest.toString(encoding)),
          ]);
          return [[`${hash}${name}`, digest], ...inText];
        }),
      ]),
  );
  forms.push(['reversed text', Buffer.from([...value].reverse().join(''))]);
  // Removes duplicate forms: digits have no case, and URL encoding leaves most text unchanged.
  /** @type {Map<string, [string, Buffer]>} */
  const named = new Map(forms.reverse().map(([name, form]) => [form.toString('latin1'), [name, form]]));
  return new Map(named.values());
}

/** Returns the encodings of bytes as text. Base64 has three forms, depending on the offset of the bytes in the encoded data. */
const encodingsOf = (bytes) => ({
  bytes,
  hex: Buffer.from(bytes.toString('hex')),
  'upper-case hex': Buffer.from(bytes.toString('hex').toUpperCase()),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      // Keeps only characters that contain no bits of the preceding or following bytes.
      const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
      const url = form.replaceAll('+', '-').replaceAll('/', '_');
      return [
        [`base64 at ${offset}`, Buffer.from(form)],
        [`base64url at ${offset}`, Buffer.from(url)],
      ];
    }),
  ),
});
