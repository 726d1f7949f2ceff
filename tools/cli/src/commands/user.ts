import { print } from '../print';
import { answerOf, apiOptions, supportApi, urlsOfApps } from '../public-api';
import { STORY_TIMEOUT_MS } from '../requests';
import { formatUser } from '../story/user-story';
import { type Commands, text } from './options';

const KRN = text('The KRN of the user, for example krn:tandem:dev:user:alice');
const REASON = {
  reason: { type: 'string', describe: 'The reason for the audit trail, for example a case number' },
} as const;

/**
 * Encodes the reason as UTF-8 with one Latin-1 character for each byte: a header can contain only Latin-1 characters,
 * and the API reads the reason as UTF-8.
 */
const headersOf = (reason: string | undefined) => ({
  header: { 'X-Support-Reason': reason && Buffer.from(reason).toString('latin1') },
});

/** `tandem user`: the operations of support on a user of identity protection, through the support API. */
export const userCommands = (parser: Commands): Commands =>
  parser.command('user', 'A user of identity protection: why it is locked or not enrolled, unlock, sync', (group) =>
    group
      .options({ ...apiOptions('TANDEM_SUPPORT_TOKEN', 'support'), ...REASON })
      .command(
        'why <krn>',
        'Explain why a user is locked, is not enrolled, or sees no alerts; no personal data',
        (command) => command.positional('krn', KRN),
        async ({ krn, reason, ...options }) => {
          const params = { path: { user_id: krn }, ...headersOf(reason) };
          const call = supportApi(options, { timeoutMs: STORY_TIMEOUT_MS }).GET('/idp/support/users/{user_id}/story', {
            params,
          });
          print(options, await answerOf(call), (story) => formatUser(story, urlsOfApps(options)));
        },
      )
      .command(
        'unlock <krn>',
        'Give a user all verification attempts again',
        (command) => command.positional('krn', KRN).demandOption('reason'),
        async ({ krn, reason, ...options }) => {
          const params = { path: { user_id: krn }, ...headersOf(reason) };
          await answerOf(supportApi(options).POST('/idp/support/users/{user_id}/unlock', { params }));
          console.log(`${krn} is unlocked`);
        },
      )
      .command(
        'sync <krn>',
        "Reconcile a user's enrollments with its subscriptions",
        (command) => command.positional('krn', KRN).demandOption('reason'),
        async ({ krn, reason, ...options }) => {
          const params = { path: { user_id: krn }, ...headersOf(reason) };
          const call = supportApi(options).POST('/idp/support/users/{user_id}/enrollment-sync', { params });
          print(
            options,
            await answerOf(call),
            ({ eventId }) => `accepted; follow it: npm run logs -- --event ${eventId}`,
          );
        },
      )
      .demandCommand(1, 'Name a command.')
      .strict(),
  );
