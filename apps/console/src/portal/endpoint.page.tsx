import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton } from '../components/dialog';
import { Empty } from '../components/empty';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { ShownOnce } from '../components/shown-once';
import { EndpointFacts } from '../deliveries/endpoint-facts';
import { TestSend } from '../deliveries/test-send';
import { useRight } from '../session/session';
import { partnersTexts } from '../texts/partners';
import { portalTexts } from '../texts/portal';
import { FailingPostbacksWarning } from './failing-postbacks';
import { useOwnEndpoint } from './own-endpoint';
import { SaveEndpoint } from './save-endpoint';
import { UnsentPostbacksWarning } from './unsent-postbacks';

const t = portalTexts.endpoint;

/** The endpoint that receives the partner's postbacks. */
export default function EndpointPage() {
  const mayWrite = useRight('postback:write');
  const query = useOwnEndpoint();
  const [editing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAct(() => answerOf(partnerApi.POST('/api/v2/partner/postback/signing-secret')), {
    changes: ['postback'],
    onDone: ({ signingSecret }) => setSecret(signingSecret),
  });
  const edit = (text: string) => (mayWrite ? <Button onClick={() => setEditing(true)}>{text}</Button> : null);
  return (
    <Page title={t.title}>
      <Loaded query={query}>
        {(endpoint) => (
          <>
            {endpoint === null ? (
              <Empty title={partnersTexts.endpoint.none} action={edit(t.setUp)}>
                {mayWrite ? `${t.none} ${t.sendHeld}` : t.none}
              </Empty>
            ) : (
              <Stack>
                {endpoint.status === 'disabled' && (
                  <Alert color="red" variant="light" title={t.disabledTitle}>
                    <Text size="sm">{mayWrite ? t.disabledHint : t.disabledWarning}</Text>
                  </Alert>
                )}
                {endpoint.status === 'active' && <FailingPostbacksWarning />}
                <UnsentPostbacksWarning />
                <EndpointFacts
                  endpoint={endpoint}
                  actions={
                    mayWrite && (
                      <Group mt="md" gap="xs" align="flex-start">
                        <Button size="xs" onClick={() => setEditing(true)}>
                          {endpoint.status === 'disabled' ? t.enable : t.change}
                        </Button>
                        <ConfirmButton
                          title={t.rotate}
                          action={t.rotate}
                          consequence={t.rotateConsequence}
                          act={rotate}
                        />
                        <TestSend
                          key={endpoint.updatedAt}
                          send={() => answerOf(partnerApi.POST('/api/v2/partner/postback/test'))}
                        />
                      </Group>
                    )
                  }
                />
              </Stack>
            )}
            {editing && <SaveEndpoint endpoint={endpoint} onClose={() => setEditing(false)} onSecret={setSecret} />}
          </>
        )}
      </Loaded>
      <ShownOnce title={t.secret} hint={t.secretHint} value={secret} onClose={() => setSecret(null)} />
    </Page>
  );
}
