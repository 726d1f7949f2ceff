/** `tsc -b` at the lowest priority, so that it does not delay the apps that are being started. */
import os from 'node:os';

os.setPriority(os.constants.priority.PRIORITY_LOW);
process.argv.splice(2, 0, '-b');
await import('typescript/lib/tsc.js');
