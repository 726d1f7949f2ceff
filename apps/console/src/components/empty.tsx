import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A note in place of an empty list, with the reason why it is empty and the first step to take. */
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
