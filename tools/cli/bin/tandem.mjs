#!/usr/bin/env node
/** `tandem`: installs and builds when nothing was, then runs the commands. */
import '../../start/node-version.mjs';

const { prepareOnce } = await import('../../start/install.mjs');
try {
  await prepareOnce();
  await import('../dist/main.js');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
