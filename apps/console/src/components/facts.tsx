import { Grid, Paper, Text, Title } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** Names and values, in two columns where there is room. */
export function Facts({
  title,
  facts,
  actions,
}: {
  title?: string;
  facts: readonly (readonly [string, ReactNode])[];
  actions?: ReactNode;
}) {
  return (
    <Paper withBorder p="md">
      {title && (
        <Title order={2} mb="sm">
          {title}
        </Title>
      )}
      <Grid gap={6} component="dl" m={0}>
        {facts.map(([name, value]) => (
          <Fragment key={name}>
            <Grid.Col span={{ base: 12, xs: 4 }} py={2}>
              <Text component="dt" size="sm" c="dimmed">
                {name}
              </Text>
            </Grid.Col>
            <Grid.Col span={{ base: 12, xs: 8 }} py={2}>
              <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </Grid.Col>
          </Fragment>
        ))}
      </Grid>
      {actions}
    </Paper>
  );
}
