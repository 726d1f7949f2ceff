import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { auditTexts } from '../texts/audit';
import { AuditList } from './audit-list';

/** Lists what managers and the partner did: actions on the partner itself, and on its tokens, promotions, endpoint, sales and other data. */
export default function PartnerAudit({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const { cursor, goTo } = useFilters([]);
  const query = useQuery({
    queryKey: ['audit', 'of', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/audit', { params: { query: { partnerId: id, cursor, limit: 50 } } })),
  });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {auditTexts.ofPartner}
      </Text>
      <AuditList query={query} cursor={cursor} goTo={goTo} ofPartner={id} />
    </Stack>
  );
}
