import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shown when there is nothing to list, with the reason and the first step. */
export const Empty = ({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) => (
  <Paper withBorder p="xl" ta="center">
    <Stack gap="xs" align="center">
      <Title order={2} size="h3">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw={480}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Paper>
);
