import { isDeepStrictEqual } from 'node:util';

/** Keywords that let fewer values pass when they are added or changed. */
const RULES = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'const', 'contentEncoding', 'contentMediaType'];
const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

/**
 * Returns the changes of a schema that break callers:
 * - Callers send a `request`: the new schema must accept every value that the old one accepted.
 * - Callers read an `answer`: the new schema may allow only values that the old one allowed. New fields and new values of enums are exceptions,
 *   because callers must expect them.
 *
 * @param {{ schema: any, document: any }} before
 * @param {{ schema: any, document: any }} now
 * @param {'request' | 'answer'} kind
 * @returns {string[]}
 */
export const schemaChanges = (before, now, kind) => [...new Set(compare(before, now, { kind, at: '', seen: [] }))];

function compare(before, now, place) {
  const names = `${before.schema.$ref} ${now.schema.$ref}`;
  // A schema that contains itself is already being compared further up.
  if (before.schema.$ref && place.seen.includes(names)) return [];
  const inside = { ...place, seen: [...place.seen, names] };
  const [old, present] = [flat(before), flat(now)];
  const [wide, narrow] = place.kind === 'request' ? [present, old] : [old, present];
  const told = (detail) => `${place.kind}${place.at && ` ${place.at}`}: ${detail}`;
  return [
    ...valueChanges(wide, narrow, place.kind).map(told),
    ...fieldChanges(old, present, wide, narrow).map(told),
    ...alternativeChanges(wide, narrow, before, now, inside).map(told),
    ...nested(old, present, inside),
  ];
}

/**
 * Returns the rules of the wide schema that a value of the narrow schema can violate. The wide schema must accept every value that the narrow schema
 * accepts. In a request, the wide schema is the new one; in an answer, the wide schema is the old one.
 */
function valueChanges(wide, narrow, kind) {
  const types = wide.types && (narrow.types ?? ['anything']).filter((type) => !accepts(wide.types, type));
  const values = wide.enum && (narrow.enum ?? ['anything']).filter((value) => !wide.enum.includes(value));
  const isNewValue = kind === 'answer' && narrow.enum;
  const broken = [
    ...RULES.filter((rule) => wide[rule] !== undefined && !isDeepStrictEqual(wide[rule], narrow[rule])),
    ...LEAST.filter((rule) => wide[rule] > (narrow[rule] ?? -Infinity)),
    ...MOST.filter((rule) => wide[rule] < (narrow[rule] ?? Infinity)),
  ];
  return [
    ...(types?.length ? [`its type changed: ${types.join(', ')}`] : []),
    ...(values?.length && !isNewValue ? [`its values changed: ${values.join(', ')}`] : []),
    ...broken.map((rule) => `its ${rule} changed`),
  ];
}

const accepts = (types, type) => types.includes(type) || (type === 'integer' && types.includes('number'));

function fieldChanges(old, present, wide, narrow) {
  const removed = Object.keys(old.properties).filter((name) => !present.properties[name]);
  const required = wide.required.filter((name) => !narrow.required.includes(name) && !removed.includes(name));
  const closed = wide.additionalProperties === false && narrow.additionalProperties;
  return [
    ...removed.map((name) => `the field ${name} was removed`),
    ...required.map((name) => `the field ${name} is ${wide === present ? 'required' : 'optional'} now`),
    ...(closed ? ['it has other fields'] : []),
  ];
}

/** Returns the alternatives of the narrow schema that no alternative of the wide schema accepts. */
function alternativeChanges(wide, narrow, before, now, place) {
  if (!wide.oneOf) return [];
  const documentOf = (side) => ((side === wide) === (place.kind === 'request') ? now.document : before.document);
  const sides = (its, other) => {
    const pair = [
      { schema: its, document: documentOf(wide) },
      { schema: other, document: documentOf(narrow) },
    ];
    return place.kind === 'request' ? pair.reverse() : pair;
  };
  const others = narrow.oneOf ?? [{ ...narrow.own, oneOf: undefined }];
  return others.flatMap((other, index) =>
    wide.oneOf.some((its) => compare(...sides(its, other), place).length === 0)
      ? []
      : [`its alternative ${other.$ref ?? index + 1} changed`],
  );
}

function nested(old, present, place) {
  const pair = (name, before, now) =>
    isSchema(before) && isSchema(now)
      ? compare(
          { schema: before, document: old.document },
          { schema: now, document: present.document },
          { ...place, at: name },
        )
      : [];
  const within = (name) => [place.at, name].filter(Boolean).join('.');
  return [
    ...Object.keys(old.properties).flatMap((name) =>
      pair(within(name), old.properties[name], present.properties[name]),
    ),
    ...pair(`${place.at}[]`, old.items, present.items),
    ...pair(within('*'), old.additionalProperties, present.additionalProperties),
  ];
}

const isSchema = (value) => typeof value === 'object' && value !== null;

/** Returns a schema with `$ref` and `allOf` resolved, and without an alternative that is only null. */
function flat({ schema, document }) {
  const own = resolved(schema, document);
  const parts = (own.allOf ?? []).map((part) => flat({ schema: part, document }));
  const choices = own.oneOf ?? own.anyOf;
  const alternatives = choices?.filter(({ type }) => type !== 'null');
  const isNullable = alternatives && alternatives.length < choices.length;
  const only = alternatives?.length === 1 ? [flat({ schema: alternatives[0], document })] : [];
  const all = [...parts, ...only, own];
  const types = all.map(({ types: found, type }) => found ?? (type && [type].flat())).findLast(Boolean);
  return {
    ...Object.assign({}, ...all),
    own,
    document,
    types: types && isNullable ? [...types, 'null'] : types,
    enum: all.findLast(({ enum: values }) => values)?.enum,
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: [...new Set(all.flatMap(({ required = [] }) => required))],
    oneOf: alternatives && alternatives.length > 1 ? alternatives : parts.find(({ oneOf }) => oneOf)?.oneOf,
  };
}

/** Follows a reference within the document. */
export const resolved = (value, document) =>
  value?.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((found, key) => found?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
    : value;
