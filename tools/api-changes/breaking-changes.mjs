import { errorChanges, rightsChanges } from './rights-and-errors.mjs';
import { resolved, schemaChanges } from './schema-changes.mjs';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/**
 * Returns the changes of an API that break its callers, each as a sentence that begins with the operation. An addition is
 * breaking only if it requires something new of callers.
 *
 * @param before,now OpenAPI documents
 * @returns {string[]}
 */
export function breakingChanges(before, now) {
  const present = new Map(operationsOf(now));
  return operationsOf(before).flatMap(([name, operation]) => {
    const same = present.get(name);
    const changes = same ? operationChanges(operation, same, [before, now]) : ['it was removed'];
    return changes.map((change) => `${name}: ${change}`);
  });
}

/** Returns the operations of a document. The body of a webhook is compared like an answer, because the callers of the API receive it. */
function operationsOf({ paths, webhooks = {} }) {
  const received = ({ operationId, requestBody }) => ({ operationId, responses: { body: requestBody } });
  return [...named(paths, ''), ...named(webhooks, 'webhook ', received)];
}

/** @returns {[name: string, operation: any][]} */
function named(items, prefix, described = (operation) => operation) {
  return Object.entries(items).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      /** @type {[string, any]} */
      const operation = [`${prefix}${method.toUpperCase()} ${path}`, described({ ...item[method], parameters })];
      return operation;
    }),
  );
}

function operationChanges(before, now, documents) {
  return [
    ...(before.operationId === now.operationId ? [] : [`its name was ${before.operationId}`]),
    ...rightsChanges(before, now, documents),
    ...parameterChanges(before, now, documents),
    ...bodyChanges(before, now, documents),
    ...answerChanges(before, now, documents),
    ...errorChanges(before, now, documents),
  ];
}

function parameterChanges(before, now, documents) {
  const [old, present] = [before, now].map(({ parameters = [] }, side) => {
    const all = parameters.map((parameter) => resolved(parameter, documents[side]));
    return new Map(all.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
  });
  const removed = [...old.keys()].filter((name) => !present.has(name)).map((name) => `the ${name} was removed`);
  const others = [...present].flatMap(([name, { schema, required }]) => {
    const was = old.get(name);
    if (!was) return required ? [`the ${name} is new and required`] : [];
    const changes = schemaChanges(...sides(was.schema, schema, documents), 'request');
    return [...(required && !was.required ? ['it is required now'] : []), ...changes].map(
      (change) => `the ${name}: ${change}`,
    );
  });
  return [...removed, ...others];
}

function bodyChanges(before, now, documents) {
  const [was, body] = [before, now].map(({ requestBody }, side) => resolved(requestBody, documents[side]));
  if (!was) return body?.required ? ['it requires a body'] : [];
  if (!body) return ['it no longer has a body'];
  const required = body.required && !was.required ? ['it requires a body'] : [];
  return [...required, ...contentChanges(was, body, documents, 'request')];
}

function answerChanges(before, now, documents) {
  return Object.entries(before.responses ?? {}).flatMap(([status, response]) => {
    const [was, answer] = [response, now.responses?.[status]].map((side, index) => resolved(side, documents[index]));
    if (!was) return [];
    if (!answer) return [`it no longer answers ${status}`];
    const headers = Object.keys(was.headers ?? {}).filter((name) => !answer.headers?.[name]);
    return [
      ...headers.map((name) => `the answer ${status} no longer has the header ${name}`),
      ...contentChanges(was, answer, documents, 'answer').map((change) => `${status}, ${change}`),
    ];
  });
}

function contentChanges({ content: old = {} }, { content = {} }, documents, kind) {
  return Object.entries(old).flatMap(([type, { schema }]) => {
    if (!content[type]) return [`the ${kind} is no longer ${type}`];
    return schema && content[type].schema ? schemaChanges(...sides(schema, content[type].schema, documents), kind) : [];
  });
}

/** @returns {[{ schema: any, document: any }, { schema: any, document: any }]} */
const sides = (before, now, [oldDocument, document]) => [
  { schema: before, document: oldDocument },
  { schema: now, document },
];
