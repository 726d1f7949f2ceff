import { Alert, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/common';
import { Copyable } from './copyable';

/** A dialog with a secret, which cannot be displayed again later. So only the dialog's button closes it, not a click outside or Escape. */
export const ShownOnce = ({
  title,
  hint,
  children,
  value,
  onClose,
}: {
  title: ReactNode;
  hint: string;
  /** What users should know about the secret. */
  children?: ReactNode;
  value: string | null;
  onClose: () => void;
}) => (
  <Modal
    opened={value !== null}
    onClose={onClose}
    title={title}
    closeButtonProps={{ 'aria-label': texts.close }}
    size="lg"
    closeOnClickOutside={false}
    closeOnEscape={false}
  >
    <Stack>
      <Alert color="orange" variant="light">
        <Text size="sm">{hint}</Text>
      </Alert>
      {children}
      {value !== null && <Copyable value={value} />}
    </Stack>
  </Modal>
);
