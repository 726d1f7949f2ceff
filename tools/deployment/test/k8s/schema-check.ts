import type { KubeObject } from './render';
import { nameOf } from './workloads';

/** The packages with the schemas of custom resources; all other schemas are Kubernetes' own. */
const PACKAGES: Readonly<Record<string, string>> = {
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};
/**
 * API groups without schemas in any package. The Kafka topics and users are nevertheless checked, because they are
 * generated from the topology and compared with it. The Kafka cluster itself is not checked.
 */
const WITHOUT_SCHEMA: readonly string[] = ['kafka.strimzi.io'];
/** API versions without schemas in the packages, each with a version that has identical schemas there. */
const SAME_SCHEMA: Readonly<Record<string, string>> = { 'external-secrets.io/v1': 'external-secrets.io/v1beta1' };
/** Fields of a kind that are newer than the kind's schema in the package. */
const NEWER_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Cluster: ['/spec/bootstrap/initdb/builtinLocale', '/spec/bootstrap/initdb/localeProvider'],
};

type Model = new () => { validate(): void };

/** Finds violations of the objects' schemas: wrong values, missing fields, and unknown fields. */
export const schemaProblems = (objects: readonly KubeObject[]): string[] =>
  objects.flatMap((object) => problemsOf(object).map((problem) => `${nameOf(object)}: ${problem}`));

function problemsOf(original: KubeObject): string[] {
  const object = { ...original, apiVersion: SAME_SCHEMA[original.apiVersion] ?? original.apiVersion };
  const [version, group = ''] = object.apiVersion.split('/').reverse() as [string, string?];
  if (WITHOUT_SCHEMA.includes(group)) return [];
  const KindModel = modelOf(group, version, object.kind);
  if (!KindModel) return [`${object.apiVersion} has no schema`];
  const read = new Set<string>();
  try {
    // The object is not passed to the constructor, which would read every field to copy it.
    Object.assign(new KindModel(), recordReads(withoutLineBreaks(object), '', read)).validate();
  } catch (error) {
    return [(error as Error).message];
  }
  // A validator reads every field of its schema, so a field that it did not read is unknown.
  return pathsOf(object, '')
    .filter(
      (path) =>
        !path.startsWith('/metadata/') && !read.has(path) && !NEWER_FIELDS[object.kind as string]?.includes(path),
    )
    .map((path) => `${path} is unknown`);
}

function modelOf(group: string, version: string, kind: string): Model | undefined {
  const folder = group === '' ? version : `${group}/${version}`;
  const path = `${PACKAGES[group] ?? 'kubernetes-models'}/${folder}`;
  try {
    return (require(path) as Record<string, Model>)[kind];
  } catch {
    return undefined;
  }
}

/** Removes the line breaks that renderers put into long base64: the API server accepts them, but the schema's format does not. */
const withoutLineBreaks = (object: KubeObject): KubeObject =>
  object.kind !== 'Secret' || !object.data
    ? object
    : {
        ...object,
        data: Object.fromEntries(
          Object.entries<string>(object.data).map(([key, value]) => [key, value.replace(/\s/g, '')]),
        ),
      };

/** Returns a proxy of the value that records the path of each field that is read. */
function recordReads(value: KubeObject, path: string, read: Set<string>): KubeObject {
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return Reflect.get(target, key) as unknown;
      read.add(`${path}/${key}`);
      return recordReads(target[key], `${path}/${key}`, read) as unknown;
    },
  });
}

const pathsOf = (value: KubeObject, path: string): string[] =>
  value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([key, field]) => [`${path}/${key}`, ...pathsOf(field, `${path}/${key}`)]);
