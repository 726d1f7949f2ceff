import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton } from '../components/dialog';
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
