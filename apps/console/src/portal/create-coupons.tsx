import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton, Subject } from '../components/dialog';
import type { components } from '../generated/partner-api';
import { portalTexts } from '../texts/portal';

/** The most coupons that one request can create. A request for more creates only 10, as the API documents. */
const MOST_COUPONS = 500;
const USUAL_COUPONS = 10;

const t = portalTexts.vouchers;

interface CreateCouponsProps {
  readonly group: components['schemas']['VoucherGroup'];
  readonly onDone: () => void;
}

/** A button and dialog that create coupons from a group. */
export function CreateCoupons({ group: { id, name, remaining }, onDone }: CreateCouponsProps) {
  const [typed, setTyped] = useState<number | string>();
  const count = typed ?? Math.min(USUAL_COUPONS, remaining ?? USUAL_COUPONS);
  // Whether a request was sent whose result is not known.
  const [isSent, setSent] = useState(false);
  const [key, setKey] = useState(() => crypto.randomUUID());
  const act = useAct(
    () => {
      // A retry sends the same number, even if the number of remaining coupons changes.
      setTyped(count);
      setSent(true);
      return answerOf(
        partnerApi.POST('/api/v2/partner/subscription/vouchers', {
          // With the same key, a retry after a lost answer does not create coupons twice.
          params: { header: { 'Idempotency-Key': `${key}-${count}` } },
          body: { voucherGroupId: id, count: Number(count) },
        }),
      );
    },
    {
      changes: ['voucher-groups', 'coupons'],
      done: (made) => t.made(made.count),
      onDone: () => {
        // The next creation is not a retry, so it needs a new key.
        setKey(crypto.randomUUID());
        setTyped(undefined);
        setSent(false);
        onDone();
      },
    },
  );
  // If an answer was lost, its coupons may already exist. `remaining` no longer counts them, but a retry returns them, so `remaining` must not
  // limit a retry.
  const isLimited = remaining !== null && remaining < MOST_COUPONS && !isSent;
  const most = isLimited ? remaining : MOST_COUPONS;
  const isValid = typeof count === 'number' && count >= 1 && count <= most;
  const range = isLimited ? t.countRemaining(most) : t.countRange(most);
  return (
    <ConfirmButton
      title={t.create}
      action={t.create}
      consequence={
        <>
          <Subject>{name}</Subject>
          {t.createConsequence(remaining)}
        </>
      }
      act={act}
      isValid={isValid}
      disabled={remaining === 0}
      button={{ size: 'compact-xs' }}
    >
      <NumberInput
        label={t.count}
        min={1}
        max={most}
        allowDecimal={false}
        value={count}
        onChange={setTyped}
        error={isValid || act.isPending ? undefined : range}
      />
    </ConfirmButton>
  );
}
