import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, RawParts } from './message';

type Parts = Pick<IncomingMessage, 'key' | 'headers' | 'raw'>;

/** Raw parts as JSON, with the bytes in base64. */
export interface RawPartsJson {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Key and headers in a form that a table or a dead-letter topic can store, and the parts that text cannot represent. */
export interface StorableParts {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: RawPartsJson | null;
}

/** Creates a dictionary without inherited names, because a header can be called `constructor`. */
const dictionary = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

/** Returns key and headers as text, with raw bytes where text cannot represent them. */
export function readParts(key: Buffer | null, headers: Iterable<readonly [string, readonly (Buffer | null)[]]>): Parts {
  const texts = dictionary<string>();
  let raw: Record<string, readonly (Buffer | null)[]> | undefined;
  for (const [name, values] of headers) {
    const [first] = values;
    if (first) texts[name] = first.toString();
    if (values.length !== 1 || !first || !isUtf8(first)) (raw ??= dictionary())[name] = values;
  }
  const rawKey = key !== null && !isUtf8(key) ? key : undefined;
  return {
    key: key?.toString() ?? null,
    headers: texts,
    ...(rawKey || raw ? { raw: { ...(rawKey && { key: rawKey }), ...(raw && { headers: raw }) } } : {}),
  };
}

/**
 * Returns key and headers in their stored form. A key with U+0000 is stored as raw bytes, because Postgres's `text`
 * cannot hold U+0000. Text headers are stored unchanged: Postgres's `json` can hold an escaped U+0000, as long as no
 * query extracts the value.
 */
export function storableParts({ key, headers, raw }: Parts): StorableParts {
  const rawKey = raw?.key ?? (key?.includes('\0') ? Buffer.from(key) : undefined);
  return {
    key: key?.replaceAll('\0', '\ufffd') ?? null,
    headers,
    raw: rawKey || raw?.headers ? toJson({ key: rawKey, headers: raw?.headers }) : null,
  };
}

/** Returns the key and the values of the headers in base64 only, without text, so that they can always be stored. */
export function bareParts({ key, headers, raw }: Parts): StorableParts {
  const all = dictionary<readonly (Buffer | null)[]>();
  for (const [name, text] of Object.entries(headers)) all[name] = [Buffer.from(text)];
  for (const [name, values] of Object.entries(raw?.headers ?? {})) all[name] = values;
  const rawKey = raw?.key ?? (key === null ? undefined : Buffer.from(key));
  return { key: null, headers: {}, raw: toJson({ key: rawKey, headers: all }) };
}

/** Restores the original parts from their stored form. */
export function restoreParts({ key, headers, raw }: StorableParts): Parts {
  if (raw === null) return { key, headers };
  const decode = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'base64'));
  const rawHeaders = Object.entries(raw.headers ?? {}).map(([name, values]) => [name, values.map(decode)] as const);
  const restored = readParts(raw.key === undefined ? null : decode(raw.key), rawHeaders);
  return {
    ...restored,
    key: raw.key === undefined ? key : restored.key,
    headers: Object.assign(dictionary<string>(), headers, restored.headers),
  };
}

function toJson({ key, headers }: RawParts): RawPartsJson {
  const names = Object.entries(headers ?? {});
  return {
    ...(key && { key: key.toString('base64') }),
    ...(names.length > 0 && {
      headers: Object.fromEntries(
        names.map(([name, values]) => [name, values.map((value) => value?.toString('base64') ?? null)]),
      ),
    }),
  };
}
