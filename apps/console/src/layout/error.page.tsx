import { Button, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';
import { texts } from '../texts/common';

/** A screen that failed while it was drawn, or whose program could not be loaded (a new version was installed). */
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
