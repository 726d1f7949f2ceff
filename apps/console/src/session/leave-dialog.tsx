import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';

interface LeaveDialogProps {
  readonly leaving: boolean;
  readonly leave: () => void;
  readonly close: () => void;
}

/**
 * Asks a person at a partner to confirm the end of the session. The code of this dialog is loaded when it is needed, because the code of
 * dialogs is large.
 */
export default function LeaveDialog({ leaving, leave, close }: LeaveDialogProps) {
  return (
    <Modal opened onClose={close} title={sessionTexts.leaveTitle} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack>
        <Text size="sm">{sessionTexts.leavePortal}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {texts.cancel}
          </Button>
          <Button loading={leaving} onClick={leave}>
            {texts.signOut}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
