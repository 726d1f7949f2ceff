import { internalApp } from '../internal-app';
import { asTable, print } from '../print';
import { queryOf } from '../query';
import { type Commands, PAGE } from './options';

interface AuditEntry {
  readonly startedAt: string;
  readonly actor: string;
  readonly action: string;
  readonly krn: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly details: object;
  readonly reason: string | null;
  readonly requestId: string;
}

const rowOf = ({ startedAt, actor, action, krn, outcome, error, details, reason, requestId }: AuditEntry) => ({
  at: startedAt,
  actor,
  action,
  user: krn,
  outcome: error === null ? outcome : `${outcome}: ${error}`,
  details,
  reason,
  request: requestId,
});

/** `tandem support`: the audit trail of support. */
export const supportCommands = (parser: Commands): Commands =>
  parser.command('support', 'The actions of support', (group) =>
    group
      .command(
        'audit',
        'List the actions on a user or by a member of support, newest first',
        (command) =>
          command
            .option('user', { type: 'string', describe: 'The KRN of a user' })
            .option('actor', { type: 'string', describe: "The subject of a member's token" })
            .options(PAGE)
            .epilogue(
              'Another stack: IDP_SUPPORT_URL, and OPERATOR_PRIVATE_KEY, whose public half the apps have. An outcome "started" means that idp-support died during the act.',
            ),
        async ({ user: krn, actor, cursor, limit, ...options }) => {
          const path = `/internal/audit${queryOf({ krn, actor, cursor, limit })}`;
          const page = await internalApp('idp-support').call<{ items: AuditEntry[]; nextCursor: string | null }>(
            'GET',
            path,
          );
          print(options, page, () => asTable(page, { none: 'no entries', rowOf }));
        },
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );
