import { Anchor, type AnchorProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link as RouterLink } from 'react-router';

/** A link to another screen. */
export const Link = ({ to, children, ...props }: AnchorProps & { to: string; children: ReactNode; title?: string }) => (
  <Anchor component={RouterLink} to={to} size="sm" {...props}>
    {children}
  </Anchor>
);
