import { hideBin } from 'yargs/helpers';
import { printableLines } from '@tandem/partner/listen';
import { tandem } from './tandem';
import { UsageError } from './usage.errors';

/** The exit code for wrong usage: the command did nothing. */
const USAGE_CODE = 2;

// Ends the command when the reader of the output closes the pipe early, as in `tandem logs … | head`.
process.stdout.on('error', () => process.exit(0));

tandem(hideBin(process.argv)).catch((error: unknown) => {
  console.error(printableLines(error instanceof Error ? error.message : String(error)));
  process.exitCode = error instanceof UsageError ? USAGE_CODE : 1;
});
