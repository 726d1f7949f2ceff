/** `npm run build`: bundles the sites, compiles every changed lib, app and tool (or only the projects that are named), and writes the types that clients generate from the OpenAPI documents. */
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
