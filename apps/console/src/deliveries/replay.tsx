import type { ButtonProps } from '@mantine/core';
import { toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { ConfirmButton, Subject } from '../components/dialog';
import type { components } from '../generated/partner-api';
import { deliveryTexts as t } from '../texts/deliveries';

type Sent = Pick<components['schemas']['PostbackDeliveryDto'], 'id' | 'kind' | 'oid' | 'refId' | 'attempts'>;

const isFirstSend = ({ attempts }: Pick<Sent, 'attempts'>): boolean => attempts.length === 0;

/**
 * Returns the name of the button that sends a delivery: “Send” if the delivery has no attempt yet, otherwise “Send
 * again”.
 */
export const sendOf = (delivery: Pick<Sent, 'attempts'>): string => (isFirstSend(delivery) ? t.send : t.replay);

interface ReplayProps {
  readonly delivery: Sent;
  /** The name of the partner's reference. */
  readonly reference?: string;
  readonly replay: (id: string) => Promise<unknown>;
  readonly button?: ButtonProps;
}

/** A button that sends a delivery, or sends it again. */
export function Replay({ delivery, reference = t.reference, replay, button }: ReplayProps) {
  const { id, kind, oid, refId } = delivery;
  const isFirst = isFirstSend(delivery);
  const send = async (): Promise<string | undefined> => {
    try {
      await replay(id);
      return undefined;
    } catch (error) {
      const refusal = t.replayRefusals[toApiError(error).code];
      if (refusal === undefined) throw error;
      return refusal;
    }
  };
  const act = useAct(send, {
    changes: ['deliveries', 'story', 'postback'],
    done: (refusal) => (refusal ? { message: refusal, color: 'orange' } : isFirst ? t.sent : t.replayed),
  });
  return (
    <ConfirmButton
      title={sendOf(delivery)}
      action={sendOf(delivery)}
      consequence={
        <>
          <Subject>{t.named(kind, oid)}</Subject>
          {refId && <Subject>{t.withReference(reference, refId)}</Subject>}
          {isFirst ? t.sendConsequence : t.replayConsequence}
        </>
      }
      act={act}
      button={button}
    />
  );
}
