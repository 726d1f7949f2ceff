import {
  IconActivity,
  IconBuildingStore,
  IconGift,
  IconHandStop,
  IconHistory,
  IconHome,
  IconInbox,
  IconLink,
  IconReceipt,
  IconSend,
  IconUserSearch,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Session } from '../session/session';
import { navigationTexts as t } from '../texts/navigation';

export interface Entry {
  readonly to: string;
  readonly text: string;
  readonly icon: ComponentType<{ size?: number }>;
}

export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const MANAGER: Section = {
  title: t.manager,
  entries: [
    { to: '/overview', text: t.overview, icon: IconHome },
    { to: '/sales', text: t.sales, icon: IconReceipt },
    { to: '/held', text: t.held, icon: IconHandStop },
    { to: '/partners', text: t.partners, icon: IconBuildingStore },
    { to: '/applications', text: t.applications, icon: IconInbox },
    { to: '/audit', text: t.audit, icon: IconHistory },
  ],
};

const SUPPORT: Section = {
  title: t.support,
  entries: [
    { to: '/support', text: t.findUser, icon: IconUserSearch },
    { to: '/support-audit', text: t.supportAudit, icon: IconHistory },
  ],
};

const PARTNER: readonly (Entry & { right: string })[] = [
  { to: '/my/overview', text: t.overview, icon: IconHome, right: 'sales:read' },
  { to: '/my/sales', text: t.sales, icon: IconReceipt, right: 'sales:read' },
  { to: '/my/endpoint', text: t.endpoint, icon: IconActivity, right: 'postback:read' },
  { to: '/my/deliveries', text: t.deliveries, icon: IconSend, right: 'postback:read' },
  { to: '/my/checkout', text: t.checkout, icon: IconLink, right: 'checkout:create' },
  { to: '/my/vouchers', text: t.vouchers, icon: IconGift, right: 'vouchers:read' },
];

/** Returns the screens that a session's rights allow. */
export function sectionsOf(session: Session): Section[] {
  if (session.kind === 'partner') {
    return [{ title: session.name, entries: PARTNER.filter(({ right }) => session.rights.has(right)) }];
  }
  return [
    ...(session.rights.has('partner:manage') ? [MANAGER] : []),
    ...(session.rights.has('support') ? [SUPPORT] : []),
  ];
}

/** Returns the path of the first screen of a session; undefined if the session's rights allow no screen. */
export const startOf = (session: Session): string | undefined => sectionsOf(session)[0]?.entries[0]?.to;
