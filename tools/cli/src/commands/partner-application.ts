import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, PAGE, text } from './options';

const STATUSES = ['pending', 'approved', 'rejected'] as const;

/** What needs a person, applications of new partners, and the publication of all partners. */
export function applicationCommands(parser: ApiCommands): void {
  parser
    .command(
      'attention',
      'Show what needs a person',
      (command) => command,
      async (options) => print({ ...options, json: true }, await answerOf(managerApi(options).GET('/admin/attention'))),
    )
    .command(
      'publish',
      'Publish every partner once more, for a team that begins to consume partner.changed',
      (command) => command,
      async (options) => print(options, await answerOf(managerApi(options).POST('/admin/partners/publish'))),
    )
    .command(
      'applications',
      'List applications',
      (command) => command.options(PAGE).option('status', { choices: STATUSES }),
      async ({ cursor, limit, status, ...options }) => {
        const query = { cursor, limit, status };
        print(options, await answerOf(managerApi(options).GET('/admin/applications', { params: { query } })), asTable);
      },
    )
    .command(
      'approve-application <id>',
      'Make an applicant a partner',
      (command) => command.positional('id', text('Of the application')),
      async ({ id, ...options }) => {
        const call = { params: { path: { id } } };
        print(options, await answerOf(managerApi(options).POST('/admin/applications/{id}/approve', call)));
      },
    )
    .command(
      'reject-application <id>',
      'Reject an applicant',
      (command) =>
        command
          .positional('id', text('Of the application'))
          .option('note', { type: 'string', describe: 'Why, for other managers' }),
      async ({ id, note, ...options }) => {
        const call = { params: { path: { id } }, body: { note } };
        print(options, await answerOf(managerApi(options).POST('/admin/applications/{id}/reject', call)));
      },
    );
}
