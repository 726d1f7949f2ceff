import {
  ActionIcon,
  Anchor,
  AppShell,
  Badge,
  Burger,
  Group,
  NavLink,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { Suspense, useEffect, useRef } from 'react';
import { Link, NavLink as RouterNavLink, Outlet, useLocation } from 'react-router';
import { Environment } from '../components/status';
import { Time } from '../components/time';
import { ExpiredDialog } from '../session/expired-dialog';
import { isReadOnly, type Session } from '../session/session';
import { SignOut } from '../session/sign-out';
import { texts } from '../texts/common';
import { GUIDE, navigationTexts } from '../texts/navigation';
import { sectionsOf } from './navigation';
import { useLostFocus } from './use-lost-focus';

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={isDark ? texts.scheme.light : texts.scheme.dark}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

/** The header and menu around every screen of a session. */
export function Shell({ session }: { session: Session }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    close();
    // When another screen opens, moves the focus to its content, so that screen readers read it.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [pathname, close]);
  useLostFocus(main);
  useEffect(() => {
    if (session.kind !== 'partner') return;
    // Warns before the page is left: the token of a portal session exists only in the page's memory, so it is lost with the page.
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [session.kind]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#content" className="skip-link">
        {texts.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? texts.closeMenu : texts.menu}
            />
            <Text component={Link} to="/" fw={700} c="inherit" td="none">
              {texts.product}
            </Text>
            {session.kind === 'partner' && <Environment value={session.environment} />}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Text size="sm" truncate maw={180} visibleFrom="xs">
              {session.name}
            </Text>
            <ColorScheme />
            <SignOut session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={navigationTexts.label}>
        {sectionsOf(session).map(({ title, entries }) => (
          <div key={title}>
            <Text size="xs" c="dimmed" fw={600} px="xs" pt="sm" pb={4} truncate>
              {title}
            </Text>
            {entries.map(({ to, text, icon: Icon }) => (
              <NavLink
                key={to}
                component={RouterNavLink}
                to={to}
                label={text}
                leftSection={<Icon size={18} />}
                active={pathname === to || pathname.startsWith(`${to}/`)}
                style={{ borderRadius: 6 }}
              />
            ))}
          </div>
        ))}
        {session.kind === 'partner' && (
          <Stack gap={4} mt="auto" px="xs">
            <Anchor href={GUIDE} target="_blank" size="xs">
              {navigationTexts.guide}
            </Anchor>
            <Text size="xs" c="dimmed">
              {navigationTexts.endsAt} <Time value={session.expiresAt} />
            </Text>
            <Text size="xs" c="dimmed">
              {navigationTexts.endsByReload}
            </Text>
          </Stack>
        )}
      </AppShell.Navbar>
      <AppShell.Main ref={main} id="content" tabIndex={-1} style={{ outline: 'none' }}>
        {isReadOnly(session) && (
          <Text size="sm" role="note" mb="md">
            {navigationTexts.readOnly}
          </Text>
        )}
        <Suspense fallback={<Badge variant="transparent">{texts.loading}</Badge>}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      <ExpiredDialog />
    </AppShell>
  );
}
