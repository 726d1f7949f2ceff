/** `npm run build`: compiles what changed of every lib, app and tool (or of the projects that are named), and writes what the tests have of the OpenAPI documents. */
import './node-version.mjs';

const { compiledProjects, ensureInstalled } = await import('./install.mjs');
const { writeClientTypes } = await import('./client-types.mjs');
ensureInstalled();
writeClientTypes();
const named = process.argv.slice(2).some((argument) => argument.endsWith('.json'));
process.argv.splice(2, 0, '-b', ...(named ? [] : compiledProjects()));
await import('typescript/lib/tsc.js');
