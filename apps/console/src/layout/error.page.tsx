import { Button, Stack, Text, Title } from '@mantine/core';
import { useRouteError } from 'react-router';
import { currentSession } from '../session/session';
import { texts } from '../texts/common';

/** The page in place of a screen that fails to render, or whose code cannot be loaded because a new version was installed. */
export function ErrorPage() {
  const error = useRouteError();
  return (
    <Stack component="main" id="content" p="lg" align="flex-start">
      <Title order={1}>{texts.errors.crashed}</Title>
      <Text size="sm">{error instanceof Error ? error.message : null}</Text>
      {currentSession()?.kind === 'partner' && <Text size="sm">{texts.errors.reloadEnds}</Text>}
      <Button onClick={() => location.reload()}>{texts.errors.reload}</Button>
    </Stack>
  );
}
