import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAct } from '../api/use-act';
import { Dialog, Subject } from '../components/dialog';
import { DAY_FIELD, isDay } from '../components/days';
import { dayStart } from '../components/use-filters';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts as t } from '../texts/deliveries';
import { dayOf } from '../figures/periods';
import { listTexts } from '../texts/lists';

type Range = components['schemas']['ReplayRangeBody'];

/** The dialog's choice for a status of the list; without an entry, it is “failed or held”. */
const CHOICE_OF: Readonly<Record<string, string>> = { failed: 'failed', delivered: 'delivered' };

interface ReplayRangeProps {
  /** The environment of the deliveries, which the dialog names; omitted where it cannot be chosen. */
  readonly environment?: keyof typeof texts.environments;
  readonly replay: (range: Range) => Promise<{ count: number }>;
  /** The status filter of the list; empty means all. The dialog preselects the choice that covers this status, otherwise “failed or held”. */
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

function RangeDialog({ onClose, ...props }: ReplayRangeProps & { onClose: () => void }) {
  // The browser's Back button can change the environment of the page behind the dialog.
  const [{ replay, listed, environment }] = useState(props);
  const [from, setFrom] = useState('');
  const [to, setTo] = useState(() => dayOf(new Date()));
  const [status, setStatus] = useState(CHOICE_OF[listed] ?? '');
  const [tried, setTried] = useState(false);
  const act = useAct(replay, {
    changes: ['deliveries', 'story'],
    done: ({ count }) => (count === 0 ? { message: t.replayedNone, color: 'orange' } : t.replayedCount(count)),
  });
  const range = (): { input: Range } | undefined => {
    setTried(true);
    const first = dayStart(from);
    const end = dayStart(to, 1);
    if (!isDay(from) || !isDay(to) || first === undefined || end === undefined || first >= end) return undefined;
    return { input: { from: first, to: end, ...(status && { status: status as Range['status'] }) } };
  };
  const problemOf = (day: string) => {
    if (!tried || isDay(day)) return undefined;
    return day === '' ? t.rangeRequired : listTexts.dayOutOfRange;
  };
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
      inputOf={range}
    >
      <Group align="flex-start">
        <TextInput
          label={t.from}
          {...DAY_FIELD}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          error={problemOf(from)}
          required
        />
        <TextInput
          label={t.to}
          {...DAY_FIELD}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={isReversed ? listTexts.dayBeforeFrom : problemOf(to)}
          required
        />
        <NativeSelect
          label={t.onlyStatus}
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value)}
          data={[
            { value: 'failed', label: texts.deliveryStatus.failed },
            { value: 'delivered', label: texts.deliveryStatus.delivered },
            { value: '', label: t.failedOrHeld },
          ]}
        />
      </Group>
    </Dialog>
  );
}
