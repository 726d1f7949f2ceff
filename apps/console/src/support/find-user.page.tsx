import { Button, Group, Paper, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { Page } from '../components/page';
import { supportTexts } from '../texts/support';

const t = supportTexts.find;
const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;

/** The start page of support. */
export default function FindUserPage() {
  const navigate = useNavigate();
  const [krn, setKrn] = useState('');
  const [error, setError] = useState<string>();
  const show = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = krn.trim();
    if (KRN.test(wanted)) void navigate(`/support/users/${encodeURIComponent(wanted)}`);
    else setError(t.malformed);
  };
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <Paper withBorder p="md" maw={640}>
        <form onSubmit={show} noValidate>
          <Group align="flex-start">
            <TextInput
              label={t.krn}
              description={t.hint}
              value={krn}
              error={error}
              onChange={(event) => setKrn(event.currentTarget.value)}
              style={{ flex: '1 1 280px' }}
              data-autofocus
            />
            <Button type="submit" mt={{ base: 0, xs: 44 }}>
              {t.show}
            </Button>
          </Group>
        </form>
      </Paper>
    </Page>
  );
}
