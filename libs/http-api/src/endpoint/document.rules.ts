import type { OpenAPIObject } from '@nestjs/swagger';
import { createHash } from 'node:crypto';
import { oneOfSchemas } from '../fields/one-of';
import { ANSWER_HEADERS } from './answer-header';
import { endpointOf } from './endpoint';
import type { Schemas as ExampleSchemas } from './example.rules';
import { completeOperation, type Operation } from './operation.rules';
import type { ErrorDocument } from './failure-responses';

type Response = NonNullable<Operation['responses'][string]>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Returns the operations of a document, with their paths. */
export const operationsOf = (document: OpenAPIObject): { path: string; method: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
  );

/** Returns a copy of a document, with all that follows from its endpoints' options, and without unused schemas and headers. */
export function completed(document: OpenAPIObject, errors: ErrorDocument): OpenAPIObject {
  const part = structuredClone(document);
  const described = part.components?.schemas ?? {};
  part.components = {
    ...part.components,
    schemas: { ...described, ...oneOfSchemas(Object.keys(described)), ...(errors.errorFormat.schemas as Schemas) },
    headers: { ...ANSWER_HEADERS },
  };
  for (const { operation, method } of operationsOf(part)) {
    const endpoint = endpointOf(operation);
    if (endpoint) completeOperation({ operation, method, endpoint }, part.components.schemas as ExampleSchemas, errors);
  }
  shareResponses(part, errors.anyPath);
  dropUnused(part, 'schemas');
  dropUnused(part, 'headers');
  return part;
}

/**
 * Moves each error answer that occurs in several operations to `components`, and puts a reference in its place. In the
 * examples of all other answers, replaces the placeholder path with the path of the operation.
 */
function shareResponses(document: OpenAPIObject, anyPath: string): void {
  const uses = new Map<string, number>();
  const all = operationsOf(document).map(({ path, operation }) => ({ path, responses: operation.responses }));
  for (const { responses } of all) {
    for (const response of Object.values(responses)) count(uses, JSON.stringify(response));
  }
  const shared: Record<string, Response> = {};
  for (const { path, responses } of all) {
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response);
      const name = sharedName(response as { description: string });
      if ((uses.get(text) ?? 0) > 1 && name && Number(status) >= 400) {
        const taken = shared[name] && JSON.stringify(shared[name]) !== text;
        const key = taken ? `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 6)}` : name;
        shared[key] = response as Response;
        responses[status] = { $ref: `#/components/responses/${key}` };
      } else responses[status] = JSON.parse(text.replaceAll(`"instance":"${anyPath}"`, `"instance":"${path}"`));
    }
  }
  document.components = { ...document.components, responses: shared };
}

const count = (uses: Map<string, number>, text: string): void => void uses.set(text, (uses.get(text) ?? 0) + 1);

/** Returns a name for a response: the codes that its description has in backticks, joined by hyphens. */
const sharedName = ({ description }: { description: string }): string =>
  [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code).join('-');

/** Removes definitions that no operation and no webhook refers to, directly or indirectly. */
function dropUnused(document: OpenAPIObject, kind: 'schemas' | 'headers'): void {
  const all = (document.components?.[kind] ?? {}) as Record<string, unknown>;
  const used = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(new RegExp(`"#/components/${kind}/([^"]+)"`, 'g'))) {
      if (name === undefined || used.has(name)) continue;
      used.add(name);
      follow(all[name]);
    }
  };
  follow([document.paths, document.webhooks ?? {}, document.components?.responses ?? {}]);
  const kept = Object.entries(all).filter(([name]) => used.has(name));
  document.components = {
    ...document.components,
    [kind]: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
