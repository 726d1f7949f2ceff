import { answerOf, partnerApi } from '../api/clients';
import { Page } from '../components/page';
import { Figures } from '../figures/figures';
import { portalTexts } from '../texts/portal';

const t = portalTexts.overview;

/** The partner's own sales figures. */
export default function PortalOverviewPage() {
  return (
    <Page title={t.title}>
      <Figures
        of={['own']}
        load={(wanted) => answerOf(partnerApi.GET('/api/v2/partner/statistics', { params: { query: wanted } }))}
        whenEmpty={t.whenEmpty}
      />
    </Page>
  );
}
