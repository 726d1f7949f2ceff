import { Killer } from '../killer';
import type { ChaosOptions } from '../../options';
import { arrivalOfAll, withClient } from '../outcome';
import { PurchaseStream } from '../purchases';
import { randomFrom } from '../random';
import { killTable, sdkTable } from '../report';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import { ClientCalls, LIMITS } from './client-calls';
import { isExact, judgeCalls, type StoredEffects } from './verdict';

/** The pause between two calls. */
const PAUSE_MS = 200;
const SHOWN_ERRORS = 5;

/**
 * Calls the platform through the SDK while partner-gateway is killed repeatedly.
 * @returns true when no call failed or hung, and each call had its effect exactly once
 */
export async function survive(options: ChaosOptions, stack: ChaosStack, sink: Sink): Promise<boolean> {
  const sales = await qualifiedSales(stack, sink, options);
  const before = await storedEffects(stack);
  const calls = new ClientCalls(stack.file);
  calls.start(sales, PAUSE_MS);
  const killer = new Killer(stack, randomFrom(options.seed), options.only);
  for (let kill = 0; kill < options.kills; kill++) {
    await killer.run(1, options.everyMs, () => process.stdout.write('.'));
    await progressOf(calls);
  }
  await calls.finish();
  const after = await storedEffects(
    stack,
    ({ revocations }) => revocations.length >= calls.ended.filter(isRevocation).length,
  );
  const created = new Set(before.codes);
  const effects = { ...after, codes: after.codes.filter((code) => !created.has(code)) };
  const verdict = judgeCalls(calls.ended, effects, LIMITS.deadlineMs + LIMITS.timeoutMs);
  console.log(`\n${killTable(killer.kills)}\n\n${sdkTable(verdict)}`);
  const errors = calls.ended.flatMap(({ what, error }) => (error === undefined ? [] : [`${what}: ${error}`]));
  console.log(errors.slice(0, SHOWN_ERRORS).join('\n'));
  const passed = isExact(verdict);
  console.log(passed ? 'chaos passed' : 'chaos FAILED');
  return passed;
}

/**
 * Waits until one more call has ended, or until a time limit. Without this wait, partner-gateway could be killed each
 * time immediately after its start, and no call would ever be answered.
 */
async function progressOf({ ended }: ClientCalls): Promise<void> {
  const before = ended.length;
  const deadline = Date.now() + LIMITS.deadlineMs;
  while (ended.length === before && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}

const isRevocation = ({ what }: { what: string }): boolean => what === 'revoke';

/** Makes three purchases for each kill, to have sales to revoke, and waits until their postbacks have arrived. */
async function qualifiedSales(stack: ChaosStack, sink: Sink, { kills, rate }: ChaosOptions): Promise<string[]> {
  const stream = new PurchaseStream(await stack.usePostbackEndpoint(await sink.listen()));
  stream.start(rate);
  while (stream.purchases.length < kills * 3) await new Promise((resolve) => setTimeout(resolve, 50));
  await stream.finish();
  await arrivalOfAll(stream, sink);
  return stream.accepted.map(({ oid }) => oid);
}

/**
 * Reads the effects that the platform has stored.
 * @param isComplete returns true if the effects of all calls are stored. If it returns false, the effects are read
 *   again, for up to 10 s
 */
async function storedEffects(
  { postgresUrl, file }: ChaosStack,
  isComplete: (effects: StoredEffects) => boolean = () => true,
): Promise<StoredEffects> {
  const group = file.partners.voucher.voucherGroupId;
  return withClient(postgresUrl, async (client) => {
    const textsOf = async (sql: string, values: unknown[] = []): Promise<string[]> =>
      (await client.query<{ text: string }>(sql, values)).rows.map(({ text }) => text);
    for (const deadline = Date.now() + 10_000; ;) {
      const effects = {
        codes: await textsOf('select code as text from voucher.coupon where group_id = $1', [group]),
        revoked: await textsOf(`select oid as text from partner.sale where status = 'revoked'`),
        revocations: await textsOf(`select key as text from bus.event_log where topic = 'sale.revoked'`),
      };
      if (isComplete(effects) || Date.now() > deadline) return effects;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
}
