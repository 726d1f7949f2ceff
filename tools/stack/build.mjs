/**
 * `npm run build` writes the client types that are generated from the OpenAPI documents, bundles every changed site, and compiles every
 * changed lib, app and tool. With the paths of tsconfig files as arguments, it compiles only these projects and bundles no site.
 */
import './node-version.mjs';

const { buildSites, compiledProjects, ensureInstalled } = await import('./install.mjs');
const { Runner } = await import('./runner.mjs');
const { writeClientTypes } = await import('./client-types.mjs');
ensureInstalled();
writeClientTypes();
const named = process.argv.slice(2).some((argument) => argument.endsWith('.json'));
if (!named) await buildSites(new Runner());
process.argv.splice(2, 0, '-b', ...(named ? [] : compiledProjects()));
await import('typescript/lib/tsc.js');
