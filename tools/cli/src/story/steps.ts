import type { components as Manager } from '../generated/manager-api';
import type { components as Support } from '../generated/support-api';
import { checkCommand, HOW_TO_CHECK } from '../requests';

type SaleStep = Manager['schemas']['SaleStep'];
type UserStep = Support['schemas']['UserStep'];
type Step = SaleStep | UserStep;

/** Returns the URL of an app; undefined if the stack of the story does not run on this machine. */
export type UrlOfApp = (app: string) => string | undefined;

/** Quotes a word for a shell. */
export const quoted = (text: string): string =>
  /^[\w.:@%+=/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const partner = (...words: (string | undefined)[]): string =>
  ['npm run partner --', ...words.filter((word) => word !== undefined).map(quoted)].join(' ');
const inEnvironment = ({ environment }: SaleStep): string[] =>
  environment === 'test' ? ['--environment', 'test'] : [];

/** For each step, a function that returns the command which carries out the step. */
const COMMANDS: Record<Step['step'], (step: SaleStep & UserStep, urlOf: UrlOfApp) => string> = {
  release_sale: ({ oid }) => partner('release-sale', oid),
  refuse_sale: ({ oid }) => partner('refuse-sale', oid),
  enable_postback: (step) => partner('enable-postback', step.partnerId, ...inEnvironment(step)),
  replay_delivery: (step) => partner('replay-delivery', step.partnerId, step.deliveryId, ...inEnvironment(step)),
  show_partner: ({ partnerId }) => partner('show', partnerId),
  list_promotions: ({ partnerId }) => partner('list-promotions', partnerId),
  list_unattributed_sales: () => partner('sales', '--status', 'unattributed'),
  replay_dead_letter: ({ app, deadLetterId }) => `npm run dead-letters -- replay --app ${app} --id ${deadLetterId}`,
  list_dead_letters: () => 'npm run dead-letters -- list',
  check_app: ({ app = '' }, urlOf) => checkCommand(urlOf(app)) ?? `# check whether ${app} runs: see ${HOW_TO_CHECK}`,
  read_logs: ({ oid = '', krn }, urlOf) => {
    // `npm run logs` reads the logs of the stack on this machine.
    if (urlOf('edge') === undefined) return `# search the logs of all apps for ${quoted(krn ?? oid)}`;
    return krn === undefined ? `npm run logs -- --oid ${quoted(oid)}` : `npm run logs -- --krn ${quoted(krn)}`;
  },
  unlock_user: (step) => `npm run user -- unlock ${quoted(step.krn ?? '')} --reason WHY`,
  sync_enrollments: (step) => `npm run user -- sync ${quoted(step.krn ?? '')} --reason WHY`,
  read_vendor_metrics: (_, urlOf) => {
    const url = urlOf('idp-api');
    if (url === undefined) return '# read the metrics of idp-api: see docs/operations/vendor-failing.md';
    return `curl -s ${url}/metrics | grep vendor_request_duration_seconds_count`;
  },
};

/**
 * Returns the commands to copy, in order and without duplicates. If a newer release of the API names a step that this
 * release does not know, the list contains a comment with the name of the step.
 */
export const commandsOf = (steps: readonly Step[], urlOf: UrlOfApp): string[] => [
  ...new Set(steps.map((step) => commandOf(step as SaleStep & UserStep, urlOf))),
];

function commandOf(step: SaleStep & UserStep, urlOf: UrlOfApp): string {
  const command = (COMMANDS as Partial<typeof COMMANDS>)[step.step];
  return command?.(step, urlOf) ?? `# ${step.step}: a step that only a newer release of this command knows`;
}
