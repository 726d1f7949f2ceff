import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, number, PAGE, text, whole } from './options';

/** The commands for links that open a partner's portal. */
export function portalLinkCommands(parser: ApiCommands): void {
  parser
    .command(
      'portal-link <partner>',
      'Create a link that opens the portal of a partner once; it is shown only once',
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .option('name', { type: 'string', describe: 'Whom the link is for, for example "Anna, accounting"' })
          .option('environment', { choices: ['live', 'test'] as const, default: 'live' as const })
          .option('read-only', { type: 'boolean', describe: 'Read-only access' })
          .option('lifetime-seconds', number('For how many seconds the link can be opened (default: 86400)')),
      async ({ partner: id, name, environment, 'read-only': readOnly, 'lifetime-seconds': lifetime, ...options }) => {
        const body = { name, environment, readOnly, lifetimeSeconds: whole('lifetime-seconds', lifetime) };
        const call = managerApi(options).POST('/admin/partners/{id}/portal-links', {
          params: { path: { id } },
          body: body as never,
        });
        print(options, await answerOf(call));
      },
    )
    .command(
      'list-portal-links <partner>',
      "List a partner's portal links",
      (command) => command.positional('partner', text("The partner's id")).options(PAGE),
      async ({ partner: id, cursor, limit, ...options }) => {
        const params = { path: { id }, query: { cursor, limit } };
        print(
          options,
          await answerOf(managerApi(options).GET('/admin/partners/{id}/portal-links', { params })),
          asTable,
        );
      },
    )
    .command(
      'end-portal-link <link-id>',
      'End a portal link and its session immediately',
      (command) => command.positional('link-id', text("The link's id")),
      async ({ 'link-id': id, ...options }) => {
        await answerOf(managerApi(options).DELETE('/admin/portal-links/{id}', { params: { path: { id } } }));
        console.log(`portal link ${id} is ended`);
      },
    );
}
