import { Alert, Anchor, Button, Code, Group, Paper, Stack, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { refusalOf, toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { Copyable, CopyIcon } from '../components/copyable';
import { Failure } from '../components/failure';
import { Page } from '../components/page';
import { Time } from '../components/time';
import { GUIDE, navigationTexts } from '../texts/navigation';
import { portalTexts } from '../texts/portal';
import { lifetimeOf } from './lifetime';
import { snippetsOf } from './snippets';

const t = portalTexts.checkout;
const FIELDS = ['ref_id', 'plan', 'currency', 'locale'] as const;
/** The code of the API's error while the partner has no active promotion. */
const NO_PROMOTION = 'promotion_not_active';
type Query = Partial<Record<(typeof FIELDS)[number], string>>;
const HINTS = { ref_id: t.referenceHint, ...t.optional };
const LABELS = { ref_id: t.reference, plan: t.plan, currency: t.currency, locale: t.locale };

/** Creates a checkout URL with the partner's discount, and shows code that does the same. */
export default function CheckoutPage() {
  const [values, setValues] = useState<Record<(typeof FIELDS)[number], string>>({
    ref_id: '',
    plan: '',
    currency: '',
    locale: '',
  });
  const wanted = { ...values, currency: values.currency.toUpperCase() };
  const query: Query = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value.trim() !== ''));
  const act = useAct(
    (input: Query) =>
      answerOf(partnerApi.GET('/api/v2/partner/subscription/create-checkout-url', { params: { query: input } })),
    { changes: [] },
  );
  // Creates a URL to learn how long URLs are valid, because no other answer contains this time. The API stores nothing when it creates a URL.
  const lifetime = useQuery({
    queryKey: ['checkout-lifetime'],
    queryFn: async () => {
      const call = partnerApi.GET('/api/v2/partner/subscription/create-checkout-url');
      const [{ expiresAt }, { response }] = await Promise.all([answerOf(call), call]);
      return lifetimeOf(expiresAt, response.headers.get('date'));
    },
    staleTime: Infinity,
  });
  // The URL is hidden once the fields have other values, because it could otherwise be given to the wrong customer.
  const isCurrent = JSON.stringify(act.variables) === JSON.stringify(query);
  const snippets = snippetsOf(location.origin, new URLSearchParams(query).toString());
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead} {t.valid(lifetime.data ?? null)}
      </Text>
      <Paper withBorder p="md" maw={720}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.mutate(query);
          }}
        >
          <Stack>
            <Group grow align="flex-start">
              {FIELDS.slice(0, 2).map((name) => field(name))}
            </Group>
            <Group grow align="flex-start">
              {FIELDS.slice(2).map((name) => field(name))}
            </Group>
            {act.error && toApiError(act.error).code === NO_PROMOTION ? (
              <Alert color="orange" variant="light" title={t.noPromotion} role="alert">
                <Text size="sm">{t.noPromotionHint}</Text>
              </Alert>
            ) : (
              <Failure error={act.error} shown={FIELDS} />
            )}
            <Group>
              <Button type="submit" loading={act.isPending}>
                {t.make}
              </Button>
            </Group>
            {act.data && isCurrent && (
              <Stack gap={4} role="status">
                <Copyable value={act.data.checkoutUrl} />
                <Text size="sm">
                  {t.discount(act.data.discount.percentOff)} · {t.until} <Time value={act.data.expiresAt} />
                </Text>
              </Stack>
            )}
          </Stack>
        </form>
      </Paper>
      <Paper withBorder p="md" maw={720}>
        <Title order={2} mb={4}>
          {t.code}
        </Title>
        <Text size="sm" c="dimmed" mb="sm">
          {t.token}{' '}
          <Anchor href={GUIDE} target="_blank" size="sm" underline="always">
            {navigationTexts.guide}
          </Anchor>
        </Text>
        <Tabs defaultValue="curl">
          <Tabs.List>
            {Object.keys(snippets).map((language) => (
              <Tabs.Tab key={language} value={language}>
                {language}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(snippets).map(([language, code]) => (
            <Tabs.Panel key={language} value={language} pt="sm">
              <Group align="flex-start" wrap="nowrap">
                <Code block tabIndex={0} style={{ flex: 1, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {code}
                </Code>
                <CopyIcon value={code} />
              </Group>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Paper>
    </Page>
  );

  function field(name: (typeof FIELDS)[number]) {
    const refusal = refusalOf(act.error, name);
    return (
      <TextInput
        key={name}
        label={LABELS[name]}
        description={HINTS[name]}
        value={values[name]}
        error={refusal && (t.problems[refusal] ?? refusal)}
        onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
      />
    );
  }
}
