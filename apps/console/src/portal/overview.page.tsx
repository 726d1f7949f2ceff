import { answerOf, partnerApi } from '../api/clients';
import { Page } from '../components/page';
import { Figures } from '../figures/figures';
import { portalTexts } from '../texts/portal';

const t = portalTexts.overview;

/** How the partner is doing, by its own sales. */
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
