#!/usr/bin/env node
/* eslint-disable @nx/enforce-module-boundaries -- the start scripts are not a package: they run before an install */
/** `tandem`: runs the command. If the repository is not installed and built yet, does this first. */
import '../../stack/node-version.mjs';

const { prepareOnce } = await import('../../stack/install.mjs');
try {
  await prepareOnce('tools/cli/dist/main.js');
  await import('../dist/main.js');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
