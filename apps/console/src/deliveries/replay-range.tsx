import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ChangeEvent, useState } from 'react';
import { refusalOf } from '../api/problem';
import { useAct } from '../api/use-act';
import { Dialog, Subject } from '../components/dialog';
import { DAY_FIELD, isDay } from '../components/days';
import { dayStart } from '../components/use-filters';
import type { operations } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts as t } from '../texts/deliveries';
import { dayOf } from '../figures/periods';
import { listTexts } from '../texts/lists';

type Range = operations['countReplay']['parameters']['query'];

/** The status that the dialog preselects, by the status filter of the list. For other filters, the dialog preselects “failed or held”. */
const CHOICE_OF: Readonly<Record<string, string>> = { failed: 'failed', delivered: 'delivered' };

interface ReplayRangeProps {
  /** The environment of the deliveries, which the dialog names; omitted on a page without a choice of the environment. */
  readonly environment?: keyof typeof texts.environments;
  /** The part of the query key that identifies whose deliveries are counted. */
  readonly owner: readonly string[];
  /** Returns how many deliveries `replay` would send. */
  readonly countReplay: (range: Range, signal: AbortSignal) => Promise<{ count: number }>;
  readonly replay: (range: Range) => Promise<{ count: number }>;
  /** The status filter of the list; empty means all. It determines which status the dialog preselects. */
  readonly listed: string;
}

/** A button and dialog that send the deliveries of a period again, for example after an outage at the partner. */
export function ReplayRange(props: ReplayRangeProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t.replayRange}
      </Button>
      {opened && <RangeDialog {...props} onClose={() => setOpened(false)} />}
    </>
  );
}

/** Returns the range of two days; undefined if a day is missing or out of range, or if the period ends before it starts. */
function rangeOf(from: string, to: string, status: string): Range | undefined {
  const first = dayStart(from);
  const end = dayStart(to, 1);
  if (!isDay(from) || !isDay(to) || first === undefined || end === undefined || first >= end) return undefined;
  return { from: first, to: end, ...(status && { status: status as Range['status'] }) };
}

function RangeDialog({ onClose, ...props }: ReplayRangeProps & { onClose: () => void }) {
  // Keeps the props of the first render, because the browser's Back button can change the environment of the page behind the dialog.
  const [{ owner, countReplay, replay, listed, environment }] = useState(props);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState(() => dayOf(new Date()));
  const [status, setStatus] = useState(CHOICE_OF[listed] ?? '');
  const [tried, setTried] = useState(false);
  const act = useAct(replay, {
    changes: ['deliveries', 'story', 'replay-count'],
    // Even after a failure, some of the deliveries may have been sent.
    reloadsAfterFailure: true,
    done: ({ count }) => (count === 0 ? { message: t.replayedNone, color: 'orange' } : t.replayedCount(count)),
  });
  const range = rangeOf(from, to, status);
  const counted = useQuery({
    queryKey: ['replay-count', ...owner, range],
    queryFn: ({ signal }) => countReplay(range as Range, signal),
    enabled: range !== undefined,
    // Once the dialog is closed, or its fields have changed, the counted number is discarded.
    gcTime: 0,
  });
  const change = (set: (value: string) => void) => (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => {
    // The error is about the previous range, so it must not be shown for the new range.
    if (act.isError) act.reset();
    set(event.currentTarget.value);
  };
  const problemOf = (day: string) => {
    if (!tried || isDay(day)) return undefined;
    return day === '' ? t.rangeRequired : listTexts.dayOutOfRange;
  };
  const refusal = refusalOf(act.error, 'to') ?? refusalOf(counted.error, 'to');
  const isReversed = tried && to !== '' && to < from;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.replayRange}
      consequence={
        <>
          {environment && <Subject>{t.environment(texts.environments[environment])}</Subject>}
          {t.replayRangeConsequence} {t.replayRangeLeftOut}
        </>
      }
      action={t.replay}
      act={act}
      inputOf={() => {
        setTried(true);
        return range && { input: range };
      }}
      shown={['to']}
      whenUncertain={t.replayUncertain}
    >
      <Group align="flex-start">
        <TextInput
          label={t.from}
          {...DAY_FIELD}
          value={from}
          onChange={change(setFrom)}
          error={problemOf(from)}
          required
        />
        <TextInput
          label={t.to}
          {...DAY_FIELD}
          value={to}
          onChange={change(setTo)}
          error={isReversed ? listTexts.dayBeforeFrom : (problemOf(to) ?? refusal)}
          required
        />
        <NativeSelect
          label={t.withStatus}
          value={status}
          onChange={change(setStatus)}
          data={[
            { value: 'failed', label: texts.deliveryStatus.failed },
            { value: 'delivered', label: texts.deliveryStatus.delivered },
            { value: '', label: t.failedOrHeld },
            { value: 'all', label: t.all },
          ]}
        />
      </Group>
      <Text size="sm" role="status" mih={20}>
        {counted.isLoading && t.counting}
        {counted.data && t.replayCount(counted.data.count)}
      </Text>
    </Dialog>
  );
}
