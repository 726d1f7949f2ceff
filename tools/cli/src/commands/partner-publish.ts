import { print } from '../print';
import { answerOf, managerApi } from '../public-api';
import type { ApiCommands } from './options';

/** The command that publishes `partner.changed` for every partner. */
export const publishCommand = (parser: ApiCommands): ApiCommands =>
  parser.command(
    'publish',
    'Publish every partner again, for a team that begins to consume partner.changed',
    (command) => command,
    async (options) => print(options, await answerOf(managerApi(options).POST('/admin/partners/publish'))),
  );
