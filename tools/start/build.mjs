/** `npm run build`: compiles what changed of every lib, app and tool. */
import './node-version.mjs';

const { compiledProjects } = await import('./install.mjs');
process.argv.splice(2, 0, '-b', ...compiledProjects());
await import('typescript/lib/tsc.js');
