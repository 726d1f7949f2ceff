import { Alert, Group, Tabs, Text } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { Copyable } from '../components/copyable';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { Status } from '../components/status';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts as t } from '../texts/partners';
import { NextSteps } from './partner-next-steps';
import { usePartner } from './queries';

type Partner = components['schemas']['Partner'];
type Tab = keyof typeof t.tabs;

/** The tabs of the page. The code of a tab is loaded when the tab is opened. */
const TABS: Readonly<Record<Tab, ComponentType<{ partner: Partner }>>> = {
  figures: lazy(() => import('./partner-figures')),
  sales: lazy(() => import('./partner-sales')),
  promotions: lazy(() => import('./partner-promotions')),
  vouchers: lazy(() => import('./partner-vouchers')),
  tokens: lazy(() => import('./partner-tokens')),
  endpoint: lazy(() => import('./partner-endpoint')),
  deliveries: lazy(() => import('./partner-deliveries')),
  links: lazy(() => import('./partner-links')),
  settings: lazy(() => import('./partner-settings')),
  audit: lazy(() => import('./partner-audit')),
};

const OF_PROMOTION: readonly Tab[] = [
  'figures',
  'sales',
  'promotions',
  'tokens',
  'endpoint',
  'deliveries',
  'links',
  'settings',
  'audit',
];
const OF_VOUCHER: readonly Tab[] = ['vouchers', 'tokens', 'links', 'settings', 'audit'];

/** The page of one partner. The URL contains the open tab. */
export default function PartnerPage() {
  const { id = '' } = useParams();
  const partner = usePartner(id);
  return (
    <Page title={partner.data?.name ?? t.title}>
      <Loaded query={partner}>{(found) => <TabsOf partner={found} />}</Loaded>
    </Page>
  );
}

function TabsOf({ partner }: { partner: Partner }) {
  const [params, setParams] = useSearchParams();
  const tabs = partner.kind === 'promotion' ? OF_PROMOTION : OF_VOUCHER;
  const wanted = params.get('tab') as Tab;
  const tab = tabs.includes(wanted) ? wanted : (tabs[0] as Tab);
  const Content = TABS[tab];
  return (
    <>
      <Group gap="sm">
        <Status value={partner.active ? 'active' : 'ended'} text={partner.active ? t.active : t.inactive} />
        <Text size="sm">{texts.kinds[partner.kind]}</Text>
        <Copyable value={partner.id} />
      </Group>
      {!partner.active && (
        <Alert variant="light" color="orange" role="note">
          {t.whileInactive[partner.kind]}
        </Alert>
      )}
      <NextSteps partner={partner} />
      <Tabs value={tab} onChange={(value) => setParams({ tab: value ?? '' })} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((name) => (
          <Tabs.Panel key={name} value={name}>
            {name === tab && (
              <Suspense fallback={null}>
                <Content key={partner.id} partner={partner} />
              </Suspense>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
