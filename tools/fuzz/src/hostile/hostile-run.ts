import fc, { type Arbitrary } from 'fast-check';
import type { Platform } from '../platform/platform';
import { rulesBeyondSchema } from '../platform/rules-beyond-schema';
import { fittingRequestsTo, type FuzzRequest, requestsTo } from '../requests';
import { isBusy } from './answer-rules';
import { type Subject, subjects } from './documents';
import { Tally } from './findings';
import { IDENTITY_SEQUENCES } from './identity-sequences';
import { mutationsFor, sendMutated } from './mutated';
import { PARTNER_SEQUENCES } from './partner-sequences';
import { patience } from './patience';
import { Choice, seedOf } from './random';
import { type Sequence, SequenceEndedError, Steps } from './steps';

export interface HostileOptions {
  /** The approximate number of requests in a whole run. */
  readonly requests: number;
  readonly seed: number;
  /** How many parts of the run are executed at the same time. */
  readonly concurrency: number;
  /** The name of an operation or of a sequence: only parts with this name are run. Default: all. */
  readonly only?: string;
  /** How long an answer may take, ms. */
  readonly limitMs: number;
  /** The URL of the edge in front of the apps; undefined: there is no edge. */
  readonly edgeUrl?: string;
}

/**
 * The share of requests that are generated from the documents, and the share of requests that are mutations of valid
 * requests. Sequences send all other requests.
 */
const SHARES = { documents: 0.4, mutations: 0.5 };
/** The approximate number of requests that a sequence sends. */
const SEQUENCE_LENGTH = 20;
const LARGEST_PART = 20;
/** How often tokens are renewed; they are valid for an hour. */
const RENEWAL_MS = 20 * 60_000;
/**
 * If there is an edge, about one in this many mutations and sequences goes through it. Mutations of internal routes never go
 * through the edge.
 */
const EDGE_EVERY = 4;

const SEQUENCES: readonly (readonly [string, Sequence])[] = Object.entries({
  ...PARTNER_SEQUENCES,
  ...IDENTITY_SEQUENCES,
});

/**
 * Checks the option `only`, before anything is started.
 * @throws TypeError with a message for people when no operation or sequence has this name
 */
export function checkOnly(only: string | undefined): void {
  if (only === undefined) return;
  const names = [...subjects().map(({ operation }) => operation.name), ...SEQUENCES.map(([name]) => name)];
  if (!names.includes(only)) throw new TypeError(`--only: there is no operation or sequence named "${only}"`);
}

interface Part {
  readonly name: string;
  readonly seed: number;
  readonly run: () => Promise<void>;
}

/**
 * Sends hostile requests to a running platform. The random choices of a part depend only on the seed of the run, and on
 * the kind, the name and the number of the part.
 */
export class HostileRun {
  readonly tally = new Tally();
  private readonly subjects = subjects();

  constructor(
    private readonly platform: Platform,
    private readonly options: HostileOptions,
  ) {}

  /**
   * Runs all parts.
   * @param isStopped returns true to end the run after the current parts
   */
  async run(isStopped: () => boolean = () => false): Promise<void> {
    const parts = this.parts();
    let renewedAt = Date.now();
    const worker = async (): Promise<void> => {
      for (let part = parts.pop(); part && !isStopped(); part = parts.pop()) {
        if (Date.now() - renewedAt > RENEWAL_MS) {
          renewedAt = Date.now();
          await this.platform.renewTokens();
        }
        await part.run();
      }
    };
    await Promise.all(Array.from({ length: this.options.concurrency }, worker));
  }

  private parts(): Part[] {
    const { requests, seed, only } = this.options;
    const perOperation = (share: number): number => Math.ceil((requests * share) / this.subjects.length);
    const parts = this.subjects.flatMap((subject) => [
      ...this.partsOf('documents', subject, perOperation(SHARES.documents)),
      ...this.partsOf('mutations', subject, perOperation(SHARES.mutations)),
    ]);
    const rest = requests * (1 - SHARES.documents - SHARES.mutations);
    const rounds = Math.ceil(rest / SEQUENCE_LENGTH / SEQUENCES.length);
    for (const [name, sequence] of SEQUENCES)
      for (let round = 0; round < rounds; round++) {
        const own = seedOf(seed, name, round);
        parts.push({ name, seed: own, run: () => this.runSequence(name, sequence, own) });
      }
    return parts.filter(({ name }) => only === undefined || name === only).sort((a, b) => a.seed - b.seed);
  }

  private partsOf(source: 'documents' | 'mutations', subject: Subject, count: number): Part[] {
    const { name } = subject.operation;
    const size = Math.min(count, LARGEST_PART);
    const { operation, document } = subject.small;
    const make = source === 'documents' ? requestsTo : fittingRequestsTo;
    const requests = make(operation, document, this.platform.knownValues(operation));
    return Array.from({ length: Math.ceil(count / size) }, (_, index) => {
      const seed = seedOf(this.options.seed, source, name, index);
      const run = () =>
        this[source](subject, fc.sample(requests as Arbitrary<FuzzRequest>, { seed, numRuns: size }), seed);
      return { name, seed, run };
    });
  }

  private async documents({ app, operation, check }: Subject, requests: readonly FuzzRequest[]): Promise<void> {
    const source = 'documents';
    for (const request of requests) {
      const began = Date.now();
      const waiting = patience(this.options.limitMs);
      const shown = `${request.method} ${request.target.slice(0, 300)} ${request.body?.slice(0, 400) ?? ''}`.trim();
      try {
        const answer = await this.platform.send(app, request, waiting.signal);
        this.tally.count(source, [answer.status], Date.now() - began);
        if (isBusy(answer.status, operation)) continue;
        for (const complaint of check.complaintsOf(operation, request, answer, rulesBeyondSchema(operation.name)))
          this.tally.report(
            source,
            operation.name,
            complaint,
            `${shown} -> ${answer.status} ${answer.text.slice(0, 300)}`,
          );
      } catch (error) {
        this.tally.count(source, [], Date.now() - began);
        this.tally.report(
          source,
          operation.name,
          `is not answered: ${(error as Error).name}`,
          `${shown} -> ${causeOf(error)}`,
        );
      } finally {
        waiting.end();
      }
    }
  }

  private async mutations(subject: Subject, requests: readonly FuzzRequest[], seed: number): Promise<void> {
    const choice = new Choice(seed);
    const mutations = mutationsFor(subject);
    for (const request of requests) {
      const mutation = choice.of(mutations);
      const useEdge = choice.below(EDGE_EVERY) === 0 && !request.target.startsWith('/internal');
      const edgeUrl = useEdge ? this.options.edgeUrl : undefined;
      const source = `${edgeUrl ? 'edge' : 'apps'}: ${mutation.group}`;
      const { name } = subject.operation;
      try {
        const url = edgeUrl ?? this.platform.apps.urlOf(subject.app);
        const { platform } = this;
        const { limitMs } = this.options;
        const result = await sendMutated(subject, request, { mutation, choice }, { platform, url, limitMs });
        const { answers, ms } = result.outcome;
        this.tally.count(
          source,
          answers.map(({ status }) => status),
          ms,
        );
        for (const complaint of result.complaints)
          this.tally.report(`${source}: ${mutation.name}`, name, complaint, result.shown);
      } catch (error) {
        this.tally.count(source, [], 0);
        this.tally.report(
          `${source}: ${mutation.name}`,
          name,
          `could not be sent: ${(error as Error).message}`,
          causeOf(error),
        );
      }
    }
  }

  private async runSequence(name: string, sequence: Sequence, seed: number): Promise<void> {
    const choice = new Choice(seed);
    const { edgeUrl, limitMs } = this.options;
    const { platform, subjects } = this;
    const viaEdge = edgeUrl !== undefined && choice.below(EDGE_EVERY) === 0;
    const urlOf = (app: string): string => (viaEdge ? edgeUrl : platform.apps.urlOf(app));
    try {
      await sequence(new Steps(name, { platform, subjects, urlOf, limitMs }, this.tally, choice));
    } catch (error) {
      if (error instanceof SequenceEndedError) return;
      this.tally.report(`sequence: ${name}`, name, `ended early: ${(error as Error).message}`, causeOf(error));
    }
  }
}

const causeOf = (error: unknown): string => String((error as Error).cause ?? error);
