import { setTimeout as sleep } from 'node:timers/promises';
import { APPS } from '../../../../apps/apps';
import { callSuccessfully } from '@tandem/stack-client';
import { configurePostback } from '../stack';
import type { ChaosOptions } from '../../options';
import { arrivalOfAll, enrollmentOfAll, withClient } from '../outcome';
import { randomFrom } from '../random';
import { interruptFaults } from '../signals';
import { Sink } from '../sink';
import { inject } from './inject';
import { measureLastArrival } from './last-arrival';
import { MixedLoad } from './mixed-load';
import { type FaultChoice, type PlannedFault, planFaults, resourceOf } from './plan';
import { faultsReport, type InjectedFault, printVerdict } from './report';
import { writePage } from './reliability-page';
import { ServiceLog } from './service-log';
import { canMount, IN_NAMESPACE } from './small-disk';
import { leftoversIn, readStored } from './stored';
import { isFaultless, judgeFaults } from './verdict';
import { World } from './world';

/** The maximum number of faults at the same time. */
const LANES = 3;
const CALM_MS = 5_000;
const SETTLE_TIMEOUT_MS = 180_000;

/**
 * Runs the faults.
 * @param interrupted aborts the startup of the platform. After the startup, `interruptFaults` handles the signals
 * @returns true when nothing is lost, done twice or otherwise wrong
 */
export async function runFaults(options: ChaosOptions, count: number, interrupted: AbortSignal): Promise<boolean> {
  const choice: FaultChoice = {
    bus: options.bus,
    replicas: options.replicas,
    hasSmallDisks: process.env[IN_NAMESPACE] !== undefined && canMount(),
    only: options.only,
    everyMs: options.everyMs,
  };
  const random = randomFrom(options.seed);
  const plan = planFaults(count, choice, random);
  if (!choice.hasSmallDisks) console.log('disks are not filled: that requires Linux, root and unshare');
  const sink = new Sink();
  const world = await World.start(choice, (line) => console.log(line), sink, interrupted);
  const stopping = interruptFaults(() => void world.stop(false).then(() => process.exit(130)));
  let passed = false;
  try {
    passed = await runIn(world, plan, options, sink, random, stopping);
  } finally {
    sink.close();
    const kept = await world.stop(!passed);
    if (kept !== null) console.log(`the stack's logs are kept in ${kept}`);
  }
  return passed;
}

async function runIn(
  world: World,
  plan: readonly PlannedFault[],
  options: ChaosOptions,
  sink: Sink,
  random: () => number,
  stopping: AbortSignal,
): Promise<boolean> {
  const { stack } = world;
  sink.secret = await configureEndpoint(world);
  const { webhookUrl, secret } = stack.identityTarget;
  const { promotionCode } = stack.file.partners.promotion;
  const target = { webhookUrl, secret, promotionCode };
  const load = new MixedLoad(stack, target, sink, new ServiceLog(), random);
  console.log(`${APPS.length * options.replicas} replicas are ready; the load begins`);
  await load.start(options.rate, options.users);
  await sleep(CALM_MS);
  const reportFault = (fault: InjectedFault): void => reportProgress(fault, plan.length, load, sink);
  const faults = await injectAll(world, plan, stopping, reportFault);
  await world.isReady();
  await sleep(CALM_MS);
  await load.finish();
  console.log(`${load.purchases.accepted.length} purchases are accepted; waiting for the last effects`);
  const [identity] = await Promise.all([enrollmentOfAll(load.users), arrivalOfAll(load.purchases, sink)]);
  const lastArrival = options.write ? await measureLastArrival(world, target, sink) : null;
  await isSettled(world);
  // The second effect of a request may come late, so the run waits before it reads and judges the effects.
  await sleep(CALM_MS);
  const stored = await readStored(platformUrlOf(world), world.kafka?.addresses);
  const verdict = judgeFaults(
    {
      purchases: new Map(
        [load.purchases, ...(lastArrival?.purchases ?? [])].flatMap(({ accepted }) =>
          accepted.map(({ oid, acceptedAt }) => [oid, acceptedAt as number] as const),
        ),
      ),
      fates: load.fates,
      batches: load.batches,
      forgedOids: load.forgedOids,
      refusedKeys: load.refusedKeys,
      supportActs: load.supportActs,
      arrivals: sink.arrivals,
      badSignatures: sink.badSignatures,
      unexplained: load.log.unexplained,
      identity,
      corrected: await recount(world),
    },
    stored,
  );
  const report = faultsReport(options, { faults, lastArrival }, verdict, load.log);
  console.log(printVerdict(report, verdict, faults));
  if (stopping.aborted) console.log(`the run was cut short after ${faults.length} of ${plan.length} faults`);
  if (options.write && !stopping.aborted) console.log(`the figures are in ${await writePage(report)}`);
  return isFaultless(verdict);
}

/** Sends the promotion partner's postbacks to the sink. @returns the secret that signs them */
async function configureEndpoint({ stack, endpointUrl }: World): Promise<string> {
  await configurePostback(stack.file, endpointUrl);
  const { baseUrl, partners } = stack.file;
  const url = `${baseUrl}/api/v2/partner/postback/signing-secret`;
  const { body } = await callSuccessfully(url, { method: 'POST', token: partners.promotion.token });
  return String(body.signingSecret);
}

/**
 * Injects the faults of a plan until `stopping` is aborted. Several faults run at the same time, but never two with the
 * same resource (see `resourceOf`).
 */
async function injectAll(
  world: World,
  plan: readonly PlannedFault[],
  stopping: AbortSignal,
  onEnd: (fault: InjectedFault) => void,
): Promise<InjectedFault[]> {
  const left = [...plan];
  const busy = new Set<string>();
  const injected: InjectedFault[] = [];
  const lane = async (): Promise<void> => {
    for (;;) {
      const index = left.findIndex((fault) => !busy.has(resourceOf(fault)));
      if (stopping.aborted || (index < 0 && left.length === 0)) return;
      if (index < 0) {
        await sleep(100);
        continue;
      }
      const [fault] = left.splice(index, 1) as [PlannedFault];
      busy.add(resourceOf(fault));
      await sleep(fault.pauseMs);
      if (stopping.aborted) return;
      const from = Date.now();
      await inject(world, fault).catch((error: Error) => {
        throw new Error(
          `fault ${fault.number}, ${fault.kind} of ${fault.target}, could not be injected or repaired: ${error.message}`,
        );
      });
      busy.delete(resourceOf(fault));
      const ended = { ...fault, from, to: Date.now() };
      injected.push(ended);
      onEnd(ended);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return injected;
}

function reportProgress(
  { number, kind, target, from, to }: InjectedFault,
  count: number,
  load: MixedLoad,
  sink: Sink,
): void {
  const waiting = load.purchases.accepted.filter(({ oid }) => !sink.arrivals.has(oid)).length;
  const seconds = ((to - from) / 1_000).toFixed(1);
  const line = `${String(number).padStart(5)}/${count}  ${kind} of ${target}, ${seconds} s`.padEnd(64);
  console.log(`${line}  ${sink.arrivals.size} postbacks arrived, ${waiting} on their way`);
}

/**
 * Waits until `leftoversIn` finds no unfinished work, but at most 3 minutes. The verdict reports the work that is then
 * still unfinished.
 */
async function isSettled(world: World): Promise<void> {
  for (const deadline = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
    const leftovers = await withClient(platformUrlOf(world), leftoversIn);
    if ([...leftovers.values()].every((count) => count === 0)) return;
  }
}

const platformUrlOf = ({ stack }: World): string => stack.postgresUrl;

/** Recounts the statistics. @returns how many rows were wrong */
async function recount({ stack }: World): Promise<number> {
  const { baseUrl, partners } = stack.file;
  const { token } = partners.manager;
  const { body } = await callSuccessfully(`${baseUrl}/admin/partners?limit=200`, { token });
  const paths = (body.items as { id: string }[]).map(({ id }) => `/admin/partners/${id}/statistics/recount`);
  let corrected = 0;
  for (const path of [...paths, '/admin/statistics/recount']) {
    const answer = await callSuccessfully(baseUrl + path, { method: 'POST', token, timeoutMs: 60_000 });
    const counts = answer.body as Record<'postbacks' | 'vouchers', { corrected: number } | null> & {
      corrected: number;
    };
    corrected += counts.corrected + (counts.postbacks?.corrected ?? 0) + (counts.vouchers?.corrected ?? 0);
  }
  return corrected;
}
