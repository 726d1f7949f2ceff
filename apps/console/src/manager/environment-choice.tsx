import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { texts } from '../texts/common';
import type { Environment } from './queries';

/** The choice between live and test, kept in the URL. */
export function useEnvironment(): [Environment, ReactNode] {
  const [params, setParams] = useSearchParams();
  const environment: Environment = params.get('environment') === 'test' ? 'test' : 'live';
  const change = (value: string): void =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      next.delete('cursor');
      next.set('environment', value);
      return next;
    });
  const choice = (
    <SegmentedControl
      aria-label={texts.environment}
      size="xs"
      value={environment}
      onChange={change}
      data={Object.entries(texts.environments).map(([value, label]) => ({ value, label }))}
    />
  );
  return [environment, choice];
}
