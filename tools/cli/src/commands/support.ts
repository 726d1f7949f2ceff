import { asTable, print } from '../print';
import { answerOf, apiOptions, type ApiOptions, supportApi } from '../public-api';
import { type Commands, PAGE } from './options';

interface AuditEntry {
  readonly startedAt: string;
  readonly actor: string;
  readonly action: string;
  readonly krn: string | null;
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

interface AuditQuery {
  readonly actor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reads?: 'false';
  readonly cursor?: string;
  readonly limit?: number;
}

const pageOfUser = (options: ApiOptions, krn: string, { reads, cursor, limit }: AuditQuery) =>
  answerOf(
    supportApi(options).GET('/idp/support/users/{user_id}/audit', {
      params: { path: { user_id: krn }, query: { reads, cursor, limit } },
    }),
  );

const pageOfStaff = (options: ApiOptions, query: AuditQuery) =>
  answerOf(supportApi(options).GET('/idp/support/audit', { params: { query } }));

/** `tandem support`: the audit trail of support, through the support API. */
export const supportCommands = (parser: Commands): Commands =>
  parser.command('support', 'The actions of support', (group) =>
    group
      .command(
        'audit',
        'List the actions on a user or by a member of support, newest first',
        (command) =>
          command
            .options(apiOptions('TANDEM_SUPPORT_TOKEN', 'support'))
            .option('user', { type: 'string', describe: 'The KRN of a user', conflicts: ['actor', 'from', 'to'] })
            .option('actor', { type: 'string', describe: "The subject of a member's token" })
            .option('from', {
              type: 'string',
              describe: 'Only actions at this time or later, for example 2026-01-05T00:00:00Z',
            })
            .option('to', { type: 'string', describe: 'Only actions before this time' })
            .option('reads', {
              type: 'boolean',
              default: true,
              describe: 'Use --no-reads to omit the actions that only read',
            })
            .options(PAGE)
            .epilogue(
              'Reading the list is recorded too. The outcome "started" means that the action is still running, or that idp-support could not store its outcome.',
            ),
        async ({ user, actor, from, to, reads, cursor, limit, ...options }) => {
          const query = { actor, from, to, reads: reads ? undefined : ('false' as const), cursor, limit };
          const page = await (user === undefined ? pageOfStaff(options, query) : pageOfUser(options, user, query));
          print(options, page, () => asTable(page, { none: 'no entries', rowOf }));
        },
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );
