import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { currentParams } from '../components/use-filters';
import { texts } from '../texts/common';
import type { Environment } from './queries';

/** The choice between live and test, kept in the URL. */
export function useEnvironment(): [Environment, ReactNode] {
  const [params, setParams] = useSearchParams();
  const environment: Environment = params.get('environment') === 'test' ? 'test' : 'live';
  const change = (value: string): void => {
    const next = currentParams();
    next.delete('cursor');
    next.set('environment', value);
    setParams(next);
  };
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
