import { TOPOLOGY } from '../events/topology';
import { asyncApiDocument } from './asyncapi';
import { jsonSchemaOf, schemaPathOf } from './json-schema';

/** Returns the generated files of this package: path from its root → content. */
export function generatedDocuments(packageVersion: string): Map<string, string> {
  const schemas = TOPOLOGY.map((topic) => [schemaPathOf(topic.event), jsonSchemaOf(topic)] as const);
  const documents = [...schemas, ['asyncapi.json', asyncApiDocument(packageVersion)] as const];
  return new Map(documents.map(([path, document]) => [path, `${JSON.stringify(document, null, 2)}\n`]));
}
