import { Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { supportTexts } from '../texts/support';
import { changesBetween, isCorrect } from './products';
import { LATE_MS, nextRefresh } from './refresh';
import { failureWords } from './words';

const t = supportTexts.sync;
type Story = components['schemas']['UserStory'];

/** The time after which a request for a synchronization is expected to have reached idp-api, which carries it out. */
const ARRIVED_MS = 10_000;
/** The largest expected difference between this computer's clock and the server's. */
const SKEW_MS = 60_000;

/** A synchronization that was requested on this page. */
export interface SyncRequest {
  readonly at: number;
  readonly before: Story;
}

/**
 * Returns whether the user still has to be reconciled with the vendor now. A reconciliation that is planned for later counts only if a product
 * is active that should not be, a product that should be active is not, or an attempt has failed.
 */
function isPending({ user: { reconciliation, enrollments } }: Story, toldAt: number): boolean {
  if (reconciliation === null) return false;
  const isBehind = enrollments.some(({ wanted, active }) => wanted !== active);
  return isBehind || reconciliation.failures > 0 || Date.parse(reconciliation.dueAt) <= toldAt + SKEW_MS;
}

function stateOf({ at }: SyncRequest, story: Story, toldAt: number): 'running' | 'finished' | 'late' {
  // If nothing is left to correct, it does not matter whether the request has arrived.
  if (toldAt > at && isCorrect(story)) return 'finished';
  if (toldAt - at >= ARRIVED_MS && !isPending(story, toldAt)) return 'finished';
  return toldAt - at >= LATE_MS ? 'late' : 'running';
}

/** Returns the time until the next refresh of the page, in ms; false if no synchronization is running. */
export function refreshAfter(request: SyncRequest | undefined, story: Story | undefined, toldAt: number) {
  if (!request || !story) return false;
  return stateOf(request, story, toldAt) === 'running' && nextRefresh(request.at, toldAt);
}

/**
 * Shows whether a synchronization is running and, when it has finished, what it changed. After that, the result is not updated, because later
 * changes of the products have other causes. Each request needs a component of its own.
 */
export function Synchronization({ request, story, toldAt }: { request: SyncRequest; story: Story; toldAt: number }) {
  const [result, setResult] = useState<string>();
  const state = result === undefined ? stateOf(request, story, toldAt) : 'finished';
  if (state === 'finished' && result === undefined) setResult(resultOf(request.before, story));
  const { reconciliation } = story.user;
  return (
    <Paper withBorder p="md" role="status">
      <Text size="sm">
        {t.requestedAt} <Time value={new Date(request.at).toISOString()} />. {state === 'running' && t.running}
        {result}
        {state === 'late' && t.late}
        {state !== 'finished' && reconciliation && reconciliation.failures > 0 && (
          <>
            {' '}
            {t.failed(reconciliation.lastError && failureWords(reconciliation.lastError))}{' '}
            <Time value={reconciliation.dueAt} />.
          </>
        )}
      </Text>
    </Paper>
  );
}

function resultOf(before: Story, after: Story): string {
  const { started, ended } = changesBetween(before, after);
  const parts = [
    ...(started.length > 0 ? [t.started(started.join(', '))] : []),
    ...(ended.length > 0 ? [t.ended(ended.join(', '))] : []),
  ];
  return `${t.finished} ${parts.join(' ') || t.nothing}`;
}
