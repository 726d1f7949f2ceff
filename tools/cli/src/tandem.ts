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
      throw usageError(args, message ?? String(error?.message));
    });
  for (const group of GROUPS) group(parser);
  await parser.parseAsync();
}

/** Returns the error for wrong arguments, with a command that prints help. @param message the message of yargs */
function usageError(args: readonly string[], message: string): UsageError {
  const options = args.findIndex((part) => part.startsWith('-'));
  // A command has at most two words.
  const words = args.slice(0, options === -1 ? 2 : Math.min(options, 2));
  const [, unknown = ''] = /^Unknown arguments?: (.*)$/m.exec(message) ?? [];
  const isGuess = message.startsWith('Did you mean ');
  // If yargs suggests another command, it does not say which of the words is wrong.
  const known = isGuess ? [] : words.filter((word) => !unknown.split(', ').includes(word));
  const text = isGuess ? `There is no command "${words.join(' ')}". ${message}` : message;
  return new UsageError(`${text}\nSee: ${['tandem', ...known, '--help'].join(' ')}`);
}
