/**
 * `npm run build` writes the client types that are generated from the OpenAPI documents, bundles every changed site, and compiles every
 * changed lib, app and tool. With the paths of tsconfig files as arguments, it compiles only these projects and bundles no site.
 */
import './node-version.mjs';

const { spawnSync } = await import('node:child_process');
const { buildSites, compiledProjects, ensureInstalled, requireCompiler } = await import('./install.mjs');
const { ROOT, TSC } = await import('./paths.mjs');
const { Runner } = await import('./runner.mjs');
const { writeClientTypes } = await import('./client-types.mjs');
ensureInstalled();
requireCompiler();
writeClientTypes();
const named = process.argv.slice(2).some((argument) => argument.endsWith('.json'));
if (!named) await buildSites(new Runner());
const { status, error } = spawnSync(TSC, ['-b', ...(named ? [] : compiledProjects()), ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: 'inherit',
});
if (error) throw error;
process.exitCode = status ?? 1;
