#!/usr/bin/env node
/* eslint-disable @nx/enforce-module-boundaries -- the start scripts are not a package: they run before an install */
/** `tandem`: runs the command. Before that, installs and builds the repository if this was not done yet. */
import '../../stack/node-version.mjs';

// Makes stack traces name lines of the TypeScript sources.
process.setSourceMapsEnabled(true);
const { prepareOnce } = await import('../../stack/install.mjs');
try {
  await prepareOnce('tools/cli/dist/main.js');
  await import('../dist/main.js');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
