import { Alert, Code, Group, SimpleGrid, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { answerOf, managerApi } from '../api/clients';
import { Amount } from '../components/amount';
import { Copyable } from '../components/copyable';
import { Facts } from '../components/facts';
import { Link } from '../components/link';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { Person } from '../components/person';
import { saleItems } from '../components/sale-items';
import { Sentence } from '../components/sentence';
import { Environment } from '../components/status';
import { Time } from '../components/time';
import { isBeforeDeliveryLog } from '../deliveries/delivery-log';
import { refreshWhile } from '../deliveries/refresh';
import { Replay } from '../deliveries/replay';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';
import { Decide } from './decide';
import { StatusOf } from './sale-columns';
import { Enable } from './enable-endpoint';
import { headlineOf } from './sale-headline';
import { stepsOf } from './sale-steps';

const t = managerTexts.story;
type Story = components['schemas']['SaleStory'];

/** The color of the headline. It is teal for a delivered postback, but not if the sale was then refunded, charged back or revoked. */
function colorOf({ verdict, sale, notice }: Story): string {
  if (verdict === 'failing' || isUntold(notice)) return 'orange';
  return verdict === 'delivered' && sale?.status === 'qualified' ? 'teal' : 'blue';
}

/** Whether the notice of a refund or chargeback is held, has failed, or is pending after a failed attempt. */
const isUntold = (notice: Story['notice'] | undefined): boolean =>
  Boolean(notice && notice.status !== 'delivered' && (notice.status !== 'pending' || notice.attempts.at(-1)?.error));

/** Whether the postback or the closure notice of a sale is still being sent, or the postback is about to be created. */
const awaitsPostback = ({ sale, delivery, notice, verdict }: Story): boolean =>
  notice?.status === 'pending' ||
  (delivery ? delivery.status === 'pending' : verdict === 'on_its_way' && sale !== null && !isBeforeDeliveryLog(sale));

/** The page of one sale: the reason for its state, what the manager can do, and everything that happened since the purchase. */
export default function SaleStoryPage() {
  const { oid = '' } = useParams();
  const story = useQuery({
    queryKey: ['story', oid],
    queryFn: () => answerOf(managerApi.GET('/admin/sales/{oid}/story', { params: { path: { oid } } })),
    refetchInterval: refreshWhile(awaitsPostback),
  });
  return (
    <Page title={t.title(oid)}>
      <Loaded query={story} lines={8}>
        {(told) => (
          <Stack>
            <Alert
              variant="light"
              color={colorOf(told)}
              title={<Sentence>{headlineOf(told)}</Sentence>}
              styles={{ title: { color: 'var(--mantine-color-text)' } }}
            >
              <Steps story={told} />
            </Alert>
            <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
              <SaleFacts story={told} />
              <History story={told} />
            </SimpleGrid>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function attributionOf({ attributedBy, unattributedReason }: NonNullable<Story['sale']>): string {
  const code = attributedBy ?? unattributedReason;
  return code === null ? texts.none : (t.attributions[code] ?? code);
}

function SaleFacts({ story: { oid, sale, partner, endpoint } }: { story: Story }) {
  return (
    <Facts
      title={t.sale}
      facts={[
        [managerTexts.sales.saleId, <Copyable key="oid" value={oid} />],
        ...(sale
          ? ([
              [t.status, <StatusOf key="status" sale={sale} />],
              [t.amount, <Amount key="amount" amount={sale.amount} currency={sale.currency} />],
              [t.items, saleItems(sale.items)],
              [t.buyer, sale.emailMasked ?? texts.none],
              [t.reference, sale.sharedId || texts.none],
              [t.attributedBy, attributionOf(sale)],
              [t.environment, <Environment key="environment" value={sale.environment ?? null} />],
            ] as const)
          : []),
        [
          t.partner,
          partner ? (
            <Link key="partner" to={`/partners/${partner.id}`}>
              {partner.name}
            </Link>
          ) : (
            texts.none
          ),
        ],
        [t.endpoint, endpoint?.url ?? texts.none],
      ]}
    />
  );
}

function History({ story }: { story: Story }) {
  const steps = stepsOf(story);
  return (
    <div>
      <Title order={2} mb="sm">
        {t.timeline}
      </Title>
      <Timeline active={steps.filter(({ isAhead }) => !isAhead).length - 1} bulletSize={18} lineWidth={2}>
        {steps.map(({ title, at, actor, text, answer, isUndated, isAccepted }) => (
          <Timeline.Item
            key={`${title} ${at}`}
            title={title}
            color={isAccepted === undefined ? undefined : isAccepted ? 'teal' : 'red'}
          >
            {!isUndated && (
              <Text size="xs" c="dimmed">
                <Time value={at} withUtc />
              </Text>
            )}
            {actor && (
              <Text size="sm">
                <Person subject={actor} />
              </Text>
            )}
            {text && <Text size="sm">{text}</Text>}
            {answer && (
              <Code
                block
                tabIndex={0}
                aria-label={t.answer}
                style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
              >
                {answer}
              </Code>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </div>
  );
}

/** The next steps of a manager, and what a manager must ask an engineer for. */
function Steps({ story }: { story: Story }) {
  // Without an active endpoint, nothing can be sent again.
  const canSend = story.endpoint?.status === 'active';
  const own = story.next.filter(({ step }) => step in STEPS && (step !== 'replay_delivery' || canSend));
  return (
    <Group gap="xs">
      {own.map((step) => (
        <Fragment key={`${step.step} ${step.deliveryId ?? ''}`}>{STEPS[step.step]?.(step, story)}</Fragment>
      ))}
      {(own.length === 0 || story.deadLetters.length > 0) && <Text size="sm">{engineersPart(story)}</Text>}
    </Group>
  );
}

type NextStep = Story['next'][number];

/** The steps that a manager can take here. The other steps, such as reading the logs, are for engineers. */
const STEPS: Partial<Record<NextStep['step'], (step: NextStep, story: Story) => ReactNode>> = {
  release_sale: (_, { sale }) => sale && <Decide decision="release" sales={[sale]} label={t.releaseOne} />,
  refuse_sale: (_, { sale }) => sale && <Decide decision="refuse" sales={[sale]} label={t.refuseOne} />,
  enable_postback: ({ partnerId, environment }) => (
    <Enable partnerId={partnerId ?? ''} environment={environment ?? 'live'} />
  ),
  replay_delivery: ({ partnerId, environment, deliveryId }, { delivery, notice }) => {
    const sent = [delivery, notice].find((one) => one?.id === deliveryId);
    if (!sent) return null;
    const params = {
      path: { id: partnerId ?? '', deliveryId: sent.id },
      query: { environment: environment ?? ('live' as const) },
    };
    return (
      <Replay
        delivery={sent}
        replay={() => answerOf(managerApi.POST('/admin/partners/{id}/deliveries/{deliveryId}/replay', { params }))}
      />
    );
  },
  show_partner: linkToPartner,
  list_promotions: linkToPartner,
};

function linkToPartner({ partnerId }: NextStep, { partner }: Story): ReactNode {
  return partnerId ? <Link to={`/partners/${partnerId}`}>{partner?.name ?? partnerId}</Link> : null;
}

/** Returns what a manager can do if no step is for managers, or if there are dead letters. */
function engineersPart({ deadLetters, sale, next, delivery, endpoint, partner }: Story): ReactNode {
  if (deadLetters.length > 0) return t.engineer;
  if (sale === null) return t.unknownSale;
  if (delivery !== null && endpoint === null && partner !== null) {
    return <Link to={`/partners/${partner.id}?tab=links`}>{t.noEndpoint}</Link>;
  }
  return next.some(({ step }) => step === 'check_app' || step === 'list_dead_letters') ? t.askEngineer : t.nothingToDo;
}
