import type { ReactNode } from 'react';
import { Copyable } from '../components/copyable';
import { Facts } from '../components/facts';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';

const t = partnersTexts.endpoint;

interface EndpointFactsProps {
  readonly endpoint: Omit<components['schemas']['PostbackConfiguration'], 'signingSecret'>;
  readonly actions?: ReactNode;
}

/** Shows a partner's endpoint and, when it is disabled, the reason. */
export const EndpointFacts = ({ endpoint, actions }: EndpointFactsProps) => (
  <Facts
    title={partnersTexts.tabs.endpoint}
    actions={actions}
    facts={[
      [
        t.status,
        <Status key="status" value={endpoint.status} text={endpoint.status === 'active' ? t.active : t.disabled} />,
      ],
      ...(endpoint.disabledReason
        ? ([[t.why, t.reasons[endpoint.disabledReason] ?? endpoint.disabledReason]] as const)
        : []),
      [t.url, <Copyable key="url" value={endpoint.url} />],
      [t.auth, endpoint.authMethod],
      [t.key, endpoint.hasKey ? t.keySet : t.keyMissing],
      [t.signing, endpoint.signingEnabled ? texts.yes : texts.no],
      [t.notifyClosures, endpoint.notifyClosures ? texts.yes : texts.no],
      ...(endpoint.pausedUntil
        ? ([[t.paused, <Time key="paused" value={endpoint.pausedUntil} withUtc />]] as const)
        : []),
      [t.changed, <Time key="changed" value={endpoint.updatedAt} withUtc />],
    ]}
  />
);
