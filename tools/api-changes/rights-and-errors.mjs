import { resolved } from './schema-changes.mjs';

const REQUIREMENTS = ['x-required-scope', 'x-integration-kind'];

/**
 * Returns a sentence for each scope, integration kind or credential that an operation newly requires, and for each kind of credentials that it no
 * longer accepts.
 */
export function rightsChanges(before, now, [oldDocument, document]) {
  const [old, present] = [waysIn(before, oldDocument), waysIn(now, document)];
  const added = REQUIREMENTS.filter((name) => now[name] && now[name] !== before[name]);
  const lost = present.length > 0 ? old.filter((way) => !present.includes(way)) : [];
  return [
    ...added.map((name) => `it requires ${name} ${now[name]}`),
    ...lost.map((way) => `it no longer accepts ${way}`),
    ...(old.length === 0 && present.length > 0 ? [`it requires ${present.join(' or ')}`] : []),
  ];
}

/** Returns the ways to authenticate; none when a caller needs no credentials. */
function waysIn({ security }, document) {
  const ways = (security ?? document.security ?? []).map((way) => Object.keys(way).join(' and '));
  return ways.includes('') ? [] : ways;
}

/** Returns the errors that an operation no longer has, each with its status and its code. */
export function errorChanges(before, now, [oldDocument, document]) {
  const present = errorsOf(now, document);
  return errorsOf(before, oldDocument)
    .filter((error) => !present.includes(error))
    .map((error) => `it no longer has the error ${error}`);
}

function errorsOf({ responses = {} }, document) {
  return Object.entries(responses).flatMap(([status, response]) => {
    const { schema = {} } = resolved(response, document).content?.['application/problem+json'] ?? {};
    const parts = (schema.allOf ?? [schema]).map((part) => resolved(part, document));
    return parts.flatMap(({ properties }) => properties?.code?.enum ?? []).map((code) => `${status} ${code}`);
  });
}
