import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

interface FactsProps {
  readonly title?: string;
  readonly facts: readonly (readonly [string, ReactNode])[];
  readonly actions?: ReactNode;
}

/** A list of names and values, in two columns if there is room. */
export const Facts = ({ title, facts, actions }: FactsProps) => (
  <Paper withBorder p="md">
    {title && (
      <Title order={2} mb="sm">
        {title}
      </Title>
    )}
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    {actions}
  </Paper>
);
