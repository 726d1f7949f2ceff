import { Button, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';
import { texts } from '../texts/common';

/** Shown when a screen fails to render, or when its code cannot be loaded because a new version was installed. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <Stack component="main" id="content" p="lg" align="flex-start">
      <Title order={1}>{texts.errors.crashed}</Title>
      <Text size="sm">{error instanceof Error ? error.message : null}</Text>
      <Button onClick={() => location.reload()}>{texts.errors.reload}</Button>
    </Stack>
  );
}
