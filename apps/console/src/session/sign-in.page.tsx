import { Alert, Anchor, Button, Center, Group, Loader, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { Failure } from '../components/failure';
import { loadConfig } from '../config';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';
import { signIn, wasSignedIn } from './sign-in';

/**
 * Shown without a session: explains who can sign in, and how. A tab that was signed in before a reload goes to the provider immediately.
 */
export default function SignInPage() {
  const { pathname, search } = useLocation();
  const config = useQuery({ queryKey: ['config'], queryFn: loadConfig });
  const [error, setError] = useState<unknown>();
  const [leaving, setLeaving] = useState(wasSignedIn);
  const leave = (): void => {
    setLeaving(true);
    signIn(pathname === '/signed-in' ? '/' : pathname + search).catch((reason: unknown) => {
      setError(reason);
      setLeaving(false);
    });
  };
  useEffect(() => {
    document.title = `${sessionTexts.title} · ${texts.product}`;
    if (wasSignedIn()) leave();
    // Runs once, when the page is opened.
  }, []);
  if (leaving) {
    return (
      <Center mih="60vh" role="status">
        <Stack align="center">
          <Loader aria-hidden />
          <Text>{sessionTexts.leaving}</Text>
        </Stack>
      </Center>
    );
  }
  return (
    <Stack component="main" id="content" maw={860} mx="auto" p="lg" gap="lg" pt="10vh">
      <div>
        <Title order={1}>{texts.product}</Title>
        <Text c="dimmed">{sessionTexts.lead}</Text>
      </div>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={2}>{sessionTexts.staff}</Title>
            <Text size="sm">{sessionTexts.staffHint}</Text>
            {config.data?.issuer === '' ? (
              <Alert color="orange">{sessionTexts.noProvider}</Alert>
            ) : (
              <Button onClick={leave}>{sessionTexts.signIn}</Button>
            )}
            <Failure error={error ?? config.error} />
          </Stack>
        </Paper>
        <Paper withBorder p="lg">
          <Stack>
            <Title order={2}>{sessionTexts.partner}</Title>
            <Text size="sm">{sessionTexts.partnerHint}</Text>
          </Stack>
        </Paper>
      </SimpleGrid>
      <Group gap="md" component="nav" aria-label={sessionTexts.developers}>
        <Text size="sm" c="dimmed">
          {sessionTexts.developers}
        </Text>
        {sessionTexts.docs.map(([href, name]) => (
          <Anchor key={href} href={href} size="sm">
            {name}
          </Anchor>
        ))}
      </Group>
    </Stack>
  );
}
