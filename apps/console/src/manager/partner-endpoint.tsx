import { Group, Stack } from '@mantine/core';
import { answerOf, managerApi } from '../api/clients';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { Loaded } from '../components/loaded';
import { EndpointFacts } from '../deliveries/endpoint-facts';
import { TestSend } from '../deliveries/test-send';
import type { components } from '../generated/manager-api';
import { partnersTexts } from '../texts/partners';
import { useEnvironment } from './environment-choice';
import { usePostback } from './queries';
import { Enable } from './enable-endpoint';

const t = partnersTexts.endpoint;

/** The endpoint that receives a partner's postbacks, and its state. */
export default function PartnerEndpoint({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const [environment, choice] = useEnvironment();
  const postback = usePostback(id, environment);
  const params = { path: { id }, query: { environment } };
  return (
    <Stack>
      <div>{choice}</div>
      <Loaded query={postback}>
        {(endpoint) =>
          endpoint === null ? (
            <Empty title={t.none} action={<Link to={`/partners/${id}?tab=links`}>{t.makeLink}</Link>}>
              {t.noneHint}
            </Empty>
          ) : (
            <EndpointFacts
              endpoint={endpoint}
              actions={
                <Group mt="sm" gap="xs">
                  {endpoint.status === 'disabled' && <Enable partnerId={id} environment={environment} />}
                  <TestSend
                    key={environment + endpoint.updatedAt}
                    send={() => answerOf(managerApi.POST('/admin/partners/{id}/postback/test', { params }))}
                  />
                </Group>
              }
            />
          )
        }
      </Loaded>
    </Stack>
  );
}
