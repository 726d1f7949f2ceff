/** Runs `tsc -b` at a low priority, so that it does not slow down the apps that start at the same time. */
import os from 'node:os';

os.setPriority(os.constants.priority.PRIORITY_LOW);
process.argv.splice(2, 0, '-b');
await import('typescript/lib/tsc.js');
