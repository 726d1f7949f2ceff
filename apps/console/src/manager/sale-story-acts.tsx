import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton, Subject } from '../components/dialog';
import { deliveryTexts } from '../texts/deliveries';
import { managerTexts } from '../texts/manager';

const t = managerTexts.story;

interface EndpointOf {
  readonly partnerId: string;
  readonly environment: 'live' | 'test';
}

/** A button that enables a disabled endpoint. */
export function Enable({ partnerId: id, environment }: EndpointOf) {
  const params = { path: { id }, query: { environment } };
  const act = useAct(() => answerOf(managerApi.POST('/admin/partners/{id}/postback/enable', { params })), {
    changes: ['postback', 'story', 'deliveries'],
    done: () => t.enabled,
  });
  return <ConfirmButton title={t.enable} action={t.enable} consequence={t.enableConsequence} act={act} />;
}

interface ReplayProps extends EndpointOf {
  /** The name of the delivery. */
  readonly of: string;
  readonly deliveryId: string;
  /** Whether the delivery has not been sent yet. */
  readonly isFirst: boolean;
}

/** A button that sends a delivery, or sends it again. */
export function Replay({ of, partnerId: id, environment, deliveryId, isFirst }: ReplayProps) {
  const params = { path: { id, deliveryId }, query: { environment } };
  const act = useAct(
    () => answerOf(managerApi.POST('/admin/partners/{id}/deliveries/{deliveryId}/replay', { params })),
    {
      changes: ['story', 'deliveries'],
      done: () => (isFirst ? deliveryTexts.sent : deliveryTexts.replayed),
    },
  );
  const action = isFirst ? deliveryTexts.send : deliveryTexts.replay;
  return (
    <ConfirmButton
      title={action}
      action={action}
      consequence={
        <>
          <Subject>{of}</Subject>
          {isFirst ? deliveryTexts.sendConsequence : deliveryTexts.replayConsequence}
        </>
      }
      act={act}
    />
  );
}
