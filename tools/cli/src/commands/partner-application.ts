import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, PAGE, text } from './options';

const STATUSES = ['pending', 'approved', 'rejected'] as const;

/** The commands for the applications of companies that want to become partners. */
export function applicationCommands(parser: ApiCommands): void {
  parser
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
      (command) => command.positional('id', text('The id of the application')),
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
          .positional('id', text('The id of the application'))
          .option('note', { type: 'string', describe: 'The reason, for other managers' }),
      async ({ id, note, ...options }) => {
        const call = { params: { path: { id } }, body: { note } };
        print(options, await answerOf(managerApi(options).POST('/admin/applications/{id}/reject', call)));
      },
    );
}
