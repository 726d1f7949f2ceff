import { gzipSync } from 'node:zlib';
import { type Draft, replacing, withHeader, withQuery } from './draft';
import type { Choice } from './random';

/** The methods that can replace the method of a request. DELETE is added for paths that do not match IS_USER. */
const METHODS = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND', 'LINK', 'PURGE'],
  ...['SEARCH', 'MOVE', 'LOCK', 'SOURCE', 'M-SEARCH'],
];
/**
 * Matches paths for which the method DELETE is not chosen, because DELETE would remove the profile that later requests
 * use. Sequences delete the profiles of their own users.
 */
const IS_USER = /\/users\/me(\?|$)/;

/** Changes the method, path, query, body or content headers of a request before its credentials are added. */
export type ContentMutation = (draft: Draft, choice: Choice) => Draft;

const JSON_TYPE = 'application/json';
const BOMB = gzipSync(Buffer.alloc(20 * 1024 * 1024));

/** Returns the text of a draft's body; `{}` when the draft has no body or an empty one. */
const textOf = ({ body }: Draft): string => body?.toString() || '{}';

/** Returns the draft with this body and the content type of JSON. The body may be invalid JSON. */
const withJson = (draft: Draft, body: string | Buffer): Draft => ({
  ...replacing(draft, 'content-type', JSON_TYPE),
  body: Buffer.from(body),
});

/** Returns the fields of a draft's body; no fields when the body is not a JSON object. */
function fieldsOf(draft: Draft): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(draft));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/**
 * Returns the draft with a new value for one of the fields of its body. If the body has no fields, adds the field `name`.
 * @param json the new value as JSON text
 */
function withField(draft: Draft, choice: Choice, json: string): Draft {
  const fields = fieldsOf(draft);
  const names = Object.keys(fields);
  const name = names.length > 0 ? choice.of(names) : 'name';
  const others = names
    .filter((other) => other !== name)
    .map((other) => `${JSON.stringify(other)}:${JSON.stringify(fields[other])}`);
  return withJson(draft, `{${[...others, `${JSON.stringify(name)}:${json}`].join()}}`);
}

/** Returns the draft with a changed path; the query stays the same. */
function withPath({ target, ...draft }: Draft, change: (path: string) => string): Draft {
  const [path = '', ...query] = target.split('?');
  return { ...draft, target: [change(path), ...query].join('?') };
}

export const BODY_MUTATIONS: Readonly<Record<string, ContentMutation>> = {
  'truncated JSON': (draft, choice) => {
    const text = textOf(draft);
    return withJson(draft, text.slice(0, choice.below(text.length)));
  },
  'oversized body': (draft, choice) => {
    const size = choice.of([60_000, 65_535, 65_537, 262_143, 262_145, 2_000_000]);
    return withJson(
      draft,
      choice.of([textOf(draft).padEnd(size), JSON.stringify({ ...fieldsOf(draft), unknown: 'x'.repeat(size) })]),
    );
  },
  'deeply nested JSON': (draft, choice) => {
    const depth = choice.of([20, 33, 100, 5_000, 30_000]);
    const deep = choice.of([
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    ]);
    return choice.below(2) === 0 ? withJson(draft, deep) : withField(draft, choice, deep);
  },
  'unclosed nesting': (draft, choice) => withJson(draft, choice.of(['[', '{"a":', '[{"a":']).repeat(8_000)),
  'many fields': (draft, choice) =>
    withJson(
      draft,
      JSON.stringify(Object.fromEntries(Array.from({ length: choice.of([100, 3_000]) }, (_, i) => [`f${i}`, i]))),
    ),
  'long list': (draft, choice) =>
    withField(draft, choice, `[${Array.from({ length: 10_000 }, () => choice.of(['1', '""', '{}'])).join()}]`),
  'duplicate keys': (draft) => {
    const text = textOf(draft);
    return withJson(draft, text.length > 2 ? `${text.slice(0, -1)},${text.slice(1)}` : '{"a":1,"a":2}');
  },
  '__proto__ in the body': (draft, choice) => {
    const key = choice.of(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'then']);
    const value = choice.of(['{"isAdmin":true}', '{"prototype":{"isAdmin":true}}', 'null', '1', '[]']);
    const text = textOf(draft);
    return withJson(draft, `{"${key}":${value}${text.length > 2 ? `,${text.slice(1)}` : '}'}`);
  },
  'extreme numbers': (draft, choice) =>
    withField(
      draft,
      choice,
      choice.of(['1e400', '-1e400', '1e-400', '-0', '9007199254740993', '2147483648', '-9223372036854775809', '1.5']) +
        choice.of(['', '', '0'.repeat(5_000)]),
    ),
  'broken characters': (draft, choice) =>
    withField(
      draft,
      choice,
      choice.of([
        ...['"\\ud800"', '"\\udc00x"', '"\\u0000"', '"a\\u0000b"', '"\\ufffe"', '"\\u202e"', '"\\u200d"', '"\\n"'],
        ...['"\\u001b[31m"', '"%00"', '"\u00e9e\u0301"', '"\ufeff"'],
      ]),
    ),
  'other type of a field': (draft, choice) =>
    withField(
      draft,
      choice,
      choice.of(['null', 'true', '[]', '{}', '0', '""', '[[]]', '{"length":1e9}', '{"toString":1}']),
    ),
  'long text': (draft, choice) => {
    const unit = choice.of(['a', ' ', '\\u00e9', '😀', '(', 'a@', '1.', '-', '\\\\', "'"]);
    return withField(draft, choice, `"${unit.repeat(choice.of([256, 5_000, 9_000]))}!"`);
  },
  'text of other languages': (draft, choice) =>
    withField(
      draft,
      choice,
      JSON.stringify(
        choice.of([
          ...["'; drop table partner; --", '" or 1=1', '${7*7}', '{{7*7}}', '<script>alert(1)</script>', '$ne', '%s%n'],
          ...['../../etc/passwd', 'file:///etc/passwd', 'http://169.254.169.254/', 'http://[::1]:5432/', 'gopher://x'],
          ...['\r\nSet-Cookie: injected=1', '=cmd()', 'jndi:ldap://x/a', 'ＡＢＣ', '٣٤', '१२', 'ﷺ'],
        ]),
      ),
    ),
  'invalid UTF-8': (draft, choice) => {
    const bytes = Buffer.from(textOf(draft).padEnd(12));
    bytes.set(choice.of([[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf8, 0x88]]), choice.below(bytes.length - 3));
    return withJson(draft, bytes);
  },
  'other encoding': (draft, choice) =>
    withJson(
      draft,
      choice.of([
        Buffer.from(`\ufeff${textOf(draft)}`),
        Buffer.from(textOf(draft), 'utf16le'),
        Buffer.from(textOf(draft), 'utf16le').swap16(),
      ]),
    ),
  'compressed body': (draft, choice) => {
    const coding = choice.of(['gzip', 'deflate', 'br', 'zstd', 'identity', 'gzip, gzip', 'x']);
    const body = choice.of([gzipSync(textOf(draft)), Buffer.from(textOf(draft)), gzipSync(textOf(draft)).subarray(5)]);
    return withHeader(withJson(draft, body), ['content-encoding', coding]);
  },
  'gzip bomb': (draft) => withHeader(withJson(draft, BOMB), ['content-encoding', 'gzip']),
  'wrong Content-Type': (draft, choice) => ({
    ...replacing(
      draft,
      'content-type',
      choice.of([
        ...['text/plain', 'application/xml', 'multipart/form-data', 'application/x-www-form-urlencoded', '*/*', ''],
        ...['application/json; charset=utf-7', 'application/json;charset=""', 'application/json, text/plain', 'json'],
        ...['application/jsonx', 'APPLICATION/JSON', 'application/json;'.repeat(200), 'application/\u00ff'],
      ]),
    ),
    body: Buffer.from(textOf(draft)),
  }),
  'doubled Content-Type': (draft, choice) =>
    withHeader({ ...draft, body: Buffer.from(textOf(draft)) }, [
      'content-type',
      choice.of([JSON_TYPE, 'text/plain', 'application/json; charset=utf-16']),
    ]),
  'another body': (draft, choice) =>
    withJson(draft, choice.of(['', ' ', 'null', '[]', '"x"', '0', '{}{}', '{,}', "{'a':1}", '//', 'NaN', '\0'])),
};

export const TARGET_MUTATIONS: Readonly<Record<string, ContentMutation>> = {
  'lists for scalars in the query': (draft, choice) => {
    const name = choice.of(['limit', 'status', 'cursor', 'oid', 'from', 'voucherGroupId', 'ref_id', 'protocols']);
    return withQuery(
      draft,
      choice.of([
        ...[`${name}[]=1`, `${name}=1&${name}=2`, `${name}[a]=1`, `${name}[0]=1&${name}[1]=2`, `${name}.a=1`],
        ...[`${name}[__proto__]=1`, `${name}`, `${name}=`, `=${name}`, `${name}=%00`, `${name}=%ff`, `${name}=%`],
      ]),
    );
  },
  '__proto__ in the query': (draft, choice) =>
    withQuery(
      draft,
      choice.of(['__proto__=1', '__proto__[a]=1', 'constructor=1', 'hasOwnProperty=1', 'toString=1', 'then=1']),
    ),
  'many parameters': (draft, choice) => withQuery(draft, 'a=1&'.repeat(choice.of([100, 1_000, 3_000]))),
  'odd query': (draft, choice) =>
    withQuery(draft, choice.of(['?', '&&&', '=', '%', '#x', ';a=1', '+', 'a=+%2B', '😀'.slice(0, 1), 'a=b=c', '%zz'])),
  'header injection in the query': (draft, choice) =>
    withQuery(
      draft,
      `${choice.of(['ref_id', 'cursor', 'status', 'oid', 'x'])}=x%0d%0aSet-Cookie:%20injected=1%0d%0a%0d%0aHTTP/1.1%20200%20OK`,
    ),
  'very long path': (draft, choice) =>
    withPath(draft, (path) =>
      `${path}/${choice.of(['a', 'a/', '%41', '..%2f'])}`.padEnd(choice.of([3_000, 12_000]), 'a'),
    ),
  'very long query': (draft, choice) =>
    withQuery(draft, `ref_id=${'a'.repeat(choice.of([300, 5_000, 12_000, 20_000]))}`),
  'percent-encoding': (draft, choice) =>
    withPath(draft, (path) => {
      const at = choice.below(path.length);
      const trick = choice.of([
        ...['%2e', '%2e%2e', '%2f', '%5c', '%00', '%zz', '%', '%c0%af', '%ed%a0%80', '%u0041', '%252e', '%25', '%0a'],
        ...['%ff', ';a=1', '//', '/./', '/../', '\\', ':', '@', '*', '..;/', '%20', '+', '~'],
      ]);
      return path.slice(0, at) + trick + path.slice(choice.of([at, at + 1]));
    }),
  'path traversal': (draft, choice) =>
    withPath(draft, (path) =>
      choice.of([
        ...['/../../../../etc/passwd', `${path}/../../../internal/webhooks`, `${path}/..%2f..%2f..%2finternal`],
        ...[`/.${path}`, `/%2e%2e${path}`, `${path}/%2e%2e/%2e%2e/internal/statistics`, `//localhost${path}`],
        ...[`http://localhost${path}`, `//${path}`, `${path}/.git/config`, `${path}\\..\\..`, `${path};/../internal`],
      ]),
    ),
  'other case or ending of the path': (draft, choice) =>
    withPath(draft, (path) =>
      choice.of([path.toUpperCase(), `${path}/`, `${path}//`, `${path}.json`, `${path}%20`, path.slice(0, -1)]),
    ),
  'another method': (draft, choice) => ({
    ...draft,
    method: choice.of(IS_USER.test(draft.target) ? METHODS : [...METHODS, 'DELETE']),
  }),
};
