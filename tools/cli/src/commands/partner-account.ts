import { asTable, print } from '../print';
import { answerOf, managerApi } from '../public-api';
import { type ApiCommands, listOf, number, PAGE, text, whole } from './options';
import { portalLinkCommands } from './partner-portal-link';
import { voucherGroupCommands } from './partner-voucher-group';

const PARTNER = {
  name: { type: 'string' },
  'contact-email': { type: 'string', describe: 'Sales to this address are held' },
  'revoke-window-days': number('For how many days its sales can be revoked'),
  'endpoint-concurrency': { type: 'string', describe: 'Concurrent postbacks, or "default" for the platform\'s limit' },
} as const;

interface PartnerOptions {
  readonly name?: string;
  readonly 'contact-email'?: string;
  readonly 'revoke-window-days'?: string;
  readonly 'endpoint-concurrency'?: string;
}

const partnerBody = (options: PartnerOptions) => ({
  name: options.name,
  contactEmail: options['contact-email'],
  revokeWindowDays: whole('revoke-window-days', options['revoke-window-days']),
  endpointLimits: limitsOf(options['endpoint-concurrency']),
});

function limitsOf(value: string | undefined): { concurrency: number | null } | undefined {
  if (value === undefined) return undefined;
  return { concurrency: value === 'default' ? null : (whole('endpoint-concurrency', value) ?? null) };
}

/** The commands for accounts, tokens, portal links, promotions and voucher groups. */
export function accountCommands(parser: ApiCommands): void {
  parser
    .command(
      'create',
      'Create a partner',
      (command) =>
        command
          .options(PARTNER)
          .option('kind', { choices: ['promotion', 'voucher'] as const, demandOption: true })
          .demandOption('name'),
      async ({ kind, ...options }) => {
        const body = { ...partnerBody(options), name: options.name, kind };
        print(options, await answerOf(managerApi(options).POST('/admin/partners', { body })));
      },
    )
    .command(
      'list',
      'List partners',
      (command) =>
        command.options(PAGE).option('search', {
          type: 'string',
          describe: 'Part of the name, an id, a promotion code, or the end of a token',
        }),
      async ({ cursor, limit, search, ...options }) => {
        const query = { cursor, limit, search };
        print(options, await answerOf(managerApi(options).GET('/admin/partners', { params: { query } })), asTable);
      },
    )
    .command(
      'show <partner>',
      'Show one partner',
      (command) => command.positional('partner', text("The partner's id")),
      async ({ partner: id, ...options }) =>
        print(options, await answerOf(managerApi(options).GET('/admin/partners/{id}', { params: { path: { id } } }))),
    )
    .command(
      'preview-deactivation <partner>',
      'Show what `change --active=false` affects',
      (command) => command.positional('partner', text("The partner's id")),
      async ({ partner: id, ...options }) => {
        const call = managerApi(options).GET('/admin/partners/{id}/deactivation', { params: { path: { id } } });
        print(options, await answerOf(call));
      },
    )
    .command(
      'change <partner>',
      'Change a partner',
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .options(PARTNER)
          .option('active', { type: 'boolean', describe: 'An inactive account cannot do anything' }),
      async ({ partner: id, active, ...options }) => {
        const body = { ...partnerBody(options), active };
        const call = managerApi(options).PATCH('/admin/partners/{id}', { params: { path: { id } }, body });
        print(options, await answerOf(call));
      },
    );
  tokenCommands(parser);
  portalLinkCommands(parser);
  promotionCommands(parser);
  voucherGroupCommands(parser);
}

function tokenCommands(parser: ApiCommands): void {
  parser
    .command(
      'issue-token <partner>',
      'Issue a token, which is shown only once',
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .option('name', { type: 'string', describe: 'What the token is for, for example "Web shop"' })
          .option('environment', { choices: ['live', 'test'] as const, default: 'live' as const })
          .option('scopes', {
            type: 'string',
            describe: "A,B: only these scopes (default: all scopes of the partner's kind)",
          })
          .option('expires-at', { type: 'string', describe: 'ISO 8601 with a time zone' }),
      async ({ partner: id, name, environment, scopes, 'expires-at': expiresAt, ...options }) => {
        const body = { name, environment, scopes: listOf(scopes) as never, expiresAt };
        const call = managerApi(options).POST('/admin/partners/{id}/tokens', { params: { path: { id } }, body });
        print(options, await answerOf(call));
      },
    )
    .command(
      'list-tokens <partner>',
      "List a partner's tokens",
      (command) => command.positional('partner', text("The partner's id")).options(PAGE),
      async ({ partner: id, cursor, limit, ...options }) => {
        const params = { path: { id }, query: { cursor, limit } };
        print(options, await answerOf(managerApi(options).GET('/admin/partners/{id}/tokens', { params })), asTable);
      },
    )
    .command(
      'rotate-token <token-id>',
      'Issue a successor; the old token stays valid for a while',
      (command) =>
        command
          .positional('token-id', text("The token's id"))
          .option('overlap-seconds', number('For how many seconds the old token stays valid (default: 86400)')),
      async ({ 'token-id': id, 'overlap-seconds': overlap, ...options }) => {
        const body = { overlapSeconds: whole('overlap-seconds', overlap) };
        const call = managerApi(options).POST('/admin/tokens/{id}/rotate', { params: { path: { id } }, body });
        print(options, await answerOf(call));
      },
    )
    .command(
      'token-leaked <token-id>',
      'Issue a successor, and end the token immediately',
      (command) => command.positional('token-id', text("The token's id")),
      async ({ 'token-id': id, ...options }) =>
        print(
          options,
          await answerOf(managerApi(options).POST('/admin/tokens/{id}/leaked', { params: { path: { id } } })),
        ),
    )
    .command(
      'revoke-token <token-id>',
      'End a token immediately',
      (command) => command.positional('token-id', text("The token's id")),
      async ({ 'token-id': id, ...options }) => {
        await answerOf(managerApi(options).DELETE('/admin/tokens/{id}', { params: { path: { id } } }));
        console.log(`token ${id} is revoked`);
      },
    );
}

function promotionCommands(parser: ApiCommands): void {
  parser
    .command(
      'add-promotion <partner>',
      'Create a promotion; an active promotion replaces the previous active one',
      (command) =>
        command
          .positional('partner', text("The partner's id"))
          .option('code', { type: 'string', demandOption: true })
          .option('percent-off', { ...number('1 to 100'), demandOption: true })
          .option('active', { type: 'boolean' }),
      async ({ partner: id, code, 'percent-off': percent, active, ...options }) => {
        const body = { code, percentOff: whole('percent-off', percent) ?? 0, active };
        const call = managerApi(options).POST('/admin/partners/{id}/promotions', { params: { path: { id } }, body });
        print(options, await answerOf(call));
      },
    )
    .command(
      'list-promotions <partner>',
      "List a partner's promotions",
      (command) => command.positional('partner', text("The partner's id")).options(PAGE),
      async ({ partner: id, cursor, limit, ...options }) => {
        const params = { path: { id }, query: { cursor, limit } };
        const call = managerApi(options).GET('/admin/partners/{id}/promotions', { params });
        print(options, await answerOf(call), asTable);
      },
    )
    .command(
      'set-promotion <promotion-id>',
      'Switch a promotion on or off',
      (command) =>
        command
          .positional('promotion-id', text("The promotion's id"))
          .option('active', { type: 'boolean', demandOption: true }),
      async ({ 'promotion-id': id, active, ...options }) => {
        const call = managerApi(options).PATCH('/admin/promotions/{id}', {
          params: { path: { id } },
          body: { active },
        });
        print(options, await answerOf(call));
      },
    );
}
