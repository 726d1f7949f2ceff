import { answerOf, partnerApi } from '../api/clients';
import { Page } from '../components/page';
import { Figures } from '../figures/figures';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';
import { FailingPostbacksWarning } from './failing-postbacks';
import { HeldPostbacksWarning } from './own-endpoint';
import { UnsentPostbacksWarning } from './unsent-postbacks';

const t = portalTexts.overview;

/** The partner's own sales figures. */
export default function PortalOverviewPage() {
  const mayCreate = useRight('checkout:create');
  return (
    <Page title={t.title}>
      <HeldPostbacksWarning />
      <FailingPostbacksWarning />
      <UnsentPostbacksWarning />
      <Figures
        of={['own']}
        load={(wanted) => answerOf(partnerApi.GET('/api/v2/partner/statistics', { params: { query: wanted } }))}
        whenEmpty={mayCreate ? t.whenEmpty : t.whenEmptyReading}
      />
    </Page>
  );
}
