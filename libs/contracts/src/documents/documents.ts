import { TOPOLOGY } from '../events/topology';
import { asyncApiDocument } from './asyncapi';
import { jsonSchemaOf, schemaPathOf } from './json-schema';

/** Returns the content of `asyncapi.json` and of the files in `schemas/`, by their path from the package's root. */
export function generatedDocuments(packageVersion: string): Map<string, string> {
  const schemas = TOPOLOGY.map((topic) => [schemaPathOf(topic.event), jsonSchemaOf(topic)] as const);
  const documents = [...schemas, ['asyncapi.json', asyncApiDocument(packageVersion)] as const];
  return new Map(documents.map(([path, document]) => [path, `${JSON.stringify(document, null, 2)}\n`]));
}
