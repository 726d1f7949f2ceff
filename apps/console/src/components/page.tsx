import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { texts } from '../texts/common';

/** A screen: its title, which the tab shows too, and what can be done with all of it. */
export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
