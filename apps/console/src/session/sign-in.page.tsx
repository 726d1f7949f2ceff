import { Alert, Anchor, Button, Center, Group, Loader, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { Empty } from '../components/empty';
import { Failure } from '../components/failure';
import { loadConfig } from '../config';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';
import { lastSignedIn, remember, signIn } from './sign-in';

/**
 * The page without a session, which explains who can sign in, and how. If a staff member was signed in before the tab was reloaded, the page goes to
 * the provider immediately. A person whose portal session has ended sees how to get a new link, and a button for staff.
 */
export default function SignInPage() {
  const { pathname, search } = useLocation();
  const config = useQuery({ queryKey: ['config'], queryFn: loadConfig });
  const [error, setError] = useState<unknown>();
  const [leaving, setLeaving] = useState(() => lastSignedIn() === 'staff');
  const [isPartner, setIsPartner] = useState(() => lastSignedIn() === 'partner' || pathname.startsWith('/my/'));
  const leave = (): void => {
    setLeaving(true);
    signIn(pathname === '/signed-in' ? '/' : pathname + search).catch((reason: unknown) => {
      setError(reason);
      setLeaving(false);
    });
  };
  useEffect(() => {
    if (leaving) leave();
    // Runs once, when the page is opened.
  }, []);
  useEffect(() => {
    document.title = `${isPartner ? sessionTexts.leftTitle : sessionTexts.title} · ${texts.product}`;
  }, [isPartner]);
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
  if (isPartner) {
    const asStaff = (): void => {
      remember(null);
      setIsPartner(false);
    };
    return (
      <Stack component="main" id="content" maw={560} mx="auto" p="lg" pt="10vh">
        <Title order={1}>{texts.product}</Title>
        <Empty title={sessionTexts.leftTitle}>{sessionTexts.left}</Empty>
        <Anchor component="button" type="button" size="sm" onClick={asStaff}>
          {sessionTexts.staffHere}
        </Anchor>
      </Stack>
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
