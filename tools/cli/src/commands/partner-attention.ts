import { print } from '../print';
import { answerOf, managerApi } from '../public-api';
import type { ApiCommands } from './options';

/** The command that lists what needs the manager's attention. */
export const attentionCommand = (parser: ApiCommands): ApiCommands =>
  parser.command(
    'attention',
    'Show what needs attention',
    (command) => command,
    async (options) => print({ ...options, json: true }, await answerOf(managerApi(options).GET('/admin/attention'))),
  );
