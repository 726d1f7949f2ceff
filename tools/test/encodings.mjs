import { createHash } from 'node:crypto';

const HASHES = ['md5', 'sha1', 'sha256', 'sha512'];

/**
 * Returns every form in which a value may have been written: as it is, in another case, encoded, or hashed without a key, because anybody
 * who can list all values can reverse such a hash.
 *
 * @param {string} value  8 characters or more, because shorter values are found by chance
 * @returns {Map<string, Buffer>} the forms by their names
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
  forms.push(['text from behind', Buffer.from([...value].reverse().join(''))]);
  // Many forms are identical: digits have no case, and text that needs no escape is its own URL encoding.
  /** @type {Map<string, [string, Buffer]>} */
  const named = new Map(forms.reverse().map(([name, form]) => [form.toString('latin1'), [name, form]]));
  return new Map(named.values());
}

/** Returns the encodings of bytes as text. Base64 has three forms, which depend on where in a longer text the bytes begin. */
const encodingsOf = (bytes) => ({
  bytes,
  hex: Buffer.from(bytes.toString('hex')),
  'capital hex': Buffer.from(bytes.toString('hex').toUpperCase()),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      // Keeps only characters that contain no bits of the text before or after.
      const form = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
      const url = form.replaceAll('+', '-').replaceAll('/', '_');
      return [
        [`base64 at ${offset}`, Buffer.from(form)],
        [`base64url at ${offset}`, Buffer.from(url)],
      ];
    }),
  ),
});
