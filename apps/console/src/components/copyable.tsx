import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { texts } from '../texts/common';

export function CopyIcon({ value, label = texts.copy }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? texts.copied : label}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={copied ? texts.copied : label}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A text that users copy, such as an id or a secret, with a copy button. */
export const Copyable = ({ value, label }: { value: string; label?: string }) => (
  <Group gap={4} wrap="nowrap" align="flex-start" style={{ display: 'inline-flex', maxWidth: '100%' }}>
    <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{value}</Code>
    <CopyIcon value={value} label={label} />
  </Group>
);
