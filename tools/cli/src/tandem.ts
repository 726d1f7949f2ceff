import yargs from 'yargs';
import { deadLetterCommands } from './commands/dead-letters';
import { discoveryCommands } from './commands/discovery';
import { eventCommands } from './commands/events';
import { ingestCommands } from './commands/ingest';
import { logsCommand } from './commands/logs';
import { listenCommand } from './commands/listen';
import { partnerCommands } from './commands/partner';
import { supportCommands } from './commands/support';
import { tokenCommand } from './commands/token';
import { userCommands } from './commands/user';
import { UsageError } from './usage.errors';

const GROUPS = [
  partnerCommands,
  userCommands,
  supportCommands,
  tokenCommand,
  ingestCommands,
  deadLetterCommands,
  eventCommands,
  logsCommand,
  listenCommand,
  discoveryCommands,
];

/**
 * Runs one command.
 *
 * @param args the arguments after `tandem`
 * @throws UsageError for an unknown command or wrong arguments; Error when the command was refused or failed
 */
export async function tandem(args: readonly string[]): Promise<void> {
  const parser = yargs([...args])
    .scriptName('tandem')
    .usage('tandem COMMAND … (or, without an installation: npm run tandem -- COMMAND …)')
    .option('json', { type: 'boolean', describe: 'Print the answer as JSON', global: true })
    .parserConfiguration({ 'strip-aliased': true })
    .locale('en')
    .wrap(process.stdout.columns ?? null)
    .completion('completion', 'Print a completion script for bash or zsh')
    .demandCommand(1, 'Name a command.')
    .recommendCommands()
    .strict()
    .version(false)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      // yargs reports usage errors by a message, and failures of a command by their error.
      if (error && error.name !== 'YError') throw error;
      throw new UsageError(`${message ?? error?.message}\nSee: tandem ${pathOf(args)}--help`);
    });
  for (const group of GROUPS) group(parser);
  await parser.parseAsync();
}

/** Returns the command for the hint: at most two words, up to the first option, each followed by a space. */
function pathOf(args: readonly string[]): string {
  const options = args.findIndex((part) => part.startsWith('-'));
  return args
    .slice(0, options === -1 ? 2 : Math.min(options, 2))
    .map((part) => `${part} `)
    .join('');
}
