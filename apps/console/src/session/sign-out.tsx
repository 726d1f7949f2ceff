import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { partnerApi } from '../api/clients';
import { queryClient } from '../api/query';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';
import { endSession, type Session } from './session';
import { signOut } from './sign-in';

/** Ends the session, here and at the issuer of its token. */
async function leave(session: Session): Promise<void> {
  queryClient.clear();
  if (session.kind === 'staff') return signOut();
  await partnerApi.DELETE('/api/v2/partner/portal-session').catch(() => undefined);
  endSession();
}

/** The button that ends the session. At a partner it asks first, because its link cannot be opened again. */
export function SignOut({ session }: { session: Session }) {
  const [asking, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState(false);
  const leaveNow = (): void => {
    setLeaving(true);
    void leave(session);
  };
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={session.kind === 'partner' ? open : leaveNow}>
        {texts.signOut}
      </Button>
      <Modal
        opened={asking}
        onClose={close}
        title={sessionTexts.leaveTitle}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        <Stack>
          <Text size="sm">{sessionTexts.leavePortal}</Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.cancel}
            </Button>
            <Button loading={leaving} onClick={leaveNow}>
              {texts.signOut}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
