import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts/common';

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

interface NoMatchProps {
  readonly title: string;
  readonly clear: () => void;
  /** Explains how the filters of this list match. Needed only if users could expect something else. */
  readonly children?: ReactNode;
}

/** A note in place of a list in which nothing matches the filters, with a button that clears them. */
export const NoMatch = ({ title, clear, children }: NoMatchProps) => (
  <Empty
    title={title}
    action={
      <Button size="xs" variant="default" onClick={clear}>
        {texts.reset}
      </Button>
    }
  >
    {texts.noMatch} {children}
  </Empty>
);
