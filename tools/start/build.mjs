/** `npm run build`: compiles what changed of every lib, app and tool, and writes what the tests have of the OpenAPI documents. */
import './node-version.mjs';

const { compiledProjects, ensureInstalled } = await import('./install.mjs');
const { writeClientTypes } = await import('./client-types.mjs');
ensureInstalled();
writeClientTypes();
process.argv.splice(2, 0, '-b', ...compiledProjects());
await import('typescript/lib/tsc.js');
