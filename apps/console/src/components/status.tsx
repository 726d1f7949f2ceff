import { Badge } from '@mantine/core';
import { texts } from '../texts/common';
import classes from './status.module.css';

const COLORS: Record<string, string> = {
  qualified: 'teal',
  delivered: 'teal',
  active: 'teal',
  pending: 'blue',
  held: 'orange',
  failing: 'orange',
  failed: 'red',
  disabled: 'red',
  charged_back: 'red',
  revoked: 'gray',
  refunded: 'gray',
  unattributed: 'gray',
  ended: 'gray',
  used: 'blue',
};

/** A status word on a colored background. The word alone carries the meaning. */
export const Status = ({ value, text }: { value: string; text: string }) => (
  <Badge variant="light" className={classes.status} color={COLORS[value] ?? 'gray'} radius="sm" tt="none" fw={600}>
    {text}
  </Badge>
);

export const SaleStatus = ({ status }: { status: keyof typeof texts.saleStatus }) => (
  <Status value={status} text={texts.saleStatus[status]} />
);

export const DeliveryStatus = ({ status }: { status: keyof typeof texts.deliveryStatus }) => (
  <Status value={status} text={texts.deliveryStatus[status]} />
);

export const Environment = ({ value }: { value: 'live' | 'test' | null }) =>
  value === null ? (
    <>{texts.none}</>
  ) : (
    <Badge
      variant="outline"
      color={value === 'live' ? 'indigo' : 'grape'}
      radius="sm"
      tt="none"
      style={{ overflow: 'visible' }}
    >
      {texts.environments[value]}
    </Badge>
  );
