import type { Platform } from '../platform/platform';
import type { FuzzRequest } from '../requests';
import { type Expectation, outcomeComplaints } from './answer-rules';
import { BODY_MUTATIONS, TARGET_MUTATIONS } from './content-mutations';
import { type Draft, plain } from './draft';
import type { Subject } from './documents';
import { CREDENTIAL_MUTATIONS, HEADER_MUTATIONS } from './header-mutations';
import type { Choice } from './random';
import { exchange, type WireOutcome, type WireRequest } from './wire';
import { SMUGGLING_MUTATIONS, WIRE_MUTATIONS } from './wire-mutations';

/** A way to change a valid request. */
export interface Mutation {
  readonly name: string;
  /** The group of the mutation; a run counts its requests by group. */
  readonly group: string;
  readonly refused: boolean;
  readonly elsewhere: boolean;
  /** Changes the request. @param authenticated adds the credentials, which may depend on the body */
  readonly apply: (
    draft: Draft,
    choice: Choice,
    authenticated: (draft: Draft) => Promise<Draft>,
  ) => Promise<WireRequest>;
}

type Traits = Partial<Pick<Mutation, 'refused' | 'elsewhere'>>;

const mutationsOf = <Change>(
  group: string,
  table: Readonly<Record<string, Change>>,
  apply: (change: Change) => Mutation['apply'],
  { refused = false, elsewhere = false }: Traits = {},
): Mutation[] =>
  Object.entries(table).map(([name, change]) => ({ name, group, refused, elsewhere, apply: apply(change) }));

export const MUTATIONS: readonly Mutation[] = [
  ...mutationsOf(
    'bodies',
    BODY_MUTATIONS,
    (change) => async (draft, choice, authenticated) => plain(await authenticated(change(draft, choice))),
  ),
  ...mutationsOf(
    'paths, queries and methods',
    TARGET_MUTATIONS,
    (change) => async (draft, choice, authenticated) => plain(await authenticated(change(draft, choice))),
    { elsewhere: true },
  ),
  ...mutationsOf(
    'headers',
    HEADER_MUTATIONS,
    (change) => async (draft, choice, authenticated) => plain(change(await authenticated(draft), choice)),
  ),
  ...mutationsOf(
    'credentials',
    CREDENTIAL_MUTATIONS,
    (change) => async (draft, choice, authenticated) => plain(change(await authenticated(draft), choice)),
    { refused: true },
  ),
  ...mutationsOf(
    'smuggling',
    SMUGGLING_MUTATIONS,
    (change) => async (draft, choice, authenticated) => change(await authenticated(draft), choice),
    { refused: true },
  ),
  ...mutationsOf(
    'broken and slow HTTP',
    WIRE_MUTATIONS,
    (change) => async (draft, choice, authenticated) => change(await authenticated(draft), choice),
    { elsewhere: true },
  ),
];

/** Matches the paths of operations that need no credentials. */
const OPEN = /\/partner-applications$/;

/** Returns the mutations that apply to an operation. */
export const mutationsFor = ({ app, operation }: Subject): readonly Mutation[] =>
  MUTATIONS.filter(({ group, name }) => {
    if (group !== 'credentials') return true;
    if (OPEN.test(operation.path)) return false;
    return (name === 'forged signature') === (app === 'webhook-ingest');
  });

export interface MutatedResult {
  readonly outcome: WireOutcome;
  readonly complaints: readonly string[];
  /** The first bytes that were sent, as text, and the answers. */
  readonly shown: string;
}

/** Changes a valid request by a mutation, sends it on a separate connection, and checks the answers. */
export async function sendMutated(
  { app, operation }: Subject,
  request: FuzzRequest,
  { mutation, choice }: { mutation: Mutation; choice: Choice },
  { platform, url, limitMs }: { platform: Platform; url: string; limitMs: number },
): Promise<MutatedResult> {
  const draft: Draft = {
    method: request.method,
    target: request.target,
    headers: Object.entries(request.headers),
    ...(request.body !== undefined && { body: Buffer.from(request.body) }),
  };
  const authenticated = async (changed: Draft): Promise<Draft> => ({
    ...changed,
    headers: [...changed.headers, ...Object.entries(await platform.credentialsOf(app, request, changed.body))],
  });
  const bytes = await mutation.apply(draft, choice, authenticated);
  const [, sentMethod, target = ''] = /^(\S+) (\S+)/.exec(bytes.parts[0]?.toString('latin1', 0, 2_000) ?? '') ?? [];
  const outcome = await exchange(url, bytes, { isHead: sentMethod === 'HEAD', limitMs });
  const expectation: Expectation = { operation, target, elsewhere: mutation.elsewhere, refused: mutation.refused };
  return { outcome, complaints: outcomeComplaints(outcome, expectation), shown: shownOf(bytes, outcome) };
}

const SHOWN_BYTES = 700;

function shownOf({ parts }: WireRequest, { end, answers, rest }: WireOutcome): string {
  const sent = Buffer.concat([...parts]).toString('latin1');
  const came = answers.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).join(' | ');
  return `${JSON.stringify(sent.slice(0, SHOWN_BYTES))} (${sent.length} bytes) -> ${end} ${came}${rest.slice(0, 200)}`;
}
