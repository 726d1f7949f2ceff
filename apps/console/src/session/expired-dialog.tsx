import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../api/query';
import { Failure } from '../components/failure';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';
import { dismissSignIn, endSession, useSessionState } from './session';
import { signInAgain } from './sign-in';

/** A dialog that opens over the current page when the session ends, so that the page and all input are kept. */
export function ExpiredDialog() {
  const { expired, session } = useSessionState();
  const [error, setError] = useState<unknown>();
  // The button stays enabled, because a window that the user has closed never answers: the next press opens another.
  const again = (): void => {
    setError(undefined);
    signInAgain().catch(setError);
  };
  const leave = (): void => {
    queryClient.clear();
    endSession();
  };
  const isStaff = session?.kind === 'staff';
  return (
    <Modal
      opened={expired}
      onClose={dismissSignIn}
      title={sessionTexts.expiredTitle}
      closeButtonProps={{ 'aria-label': texts.close }}
      zIndex={1000}
    >
      <Stack>
        <Text size="sm">{isStaff ? sessionTexts.expiredStaff : sessionTexts.expiredPartner}</Text>
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={dismissSignIn}>
            {sessionTexts.keepReading}
          </Button>
          {isStaff ? (
            <Button onClick={again}>{sessionTexts.again}</Button>
          ) : (
            <Button onClick={leave}>{texts.signOut}</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
