import { Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/common';
import { Failure } from './failure';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
  /** The number of placeholder lines while loading. */
  readonly lines?: number;
}

/**
 * Shows the data of a query, placeholder lines while the data loads, or the error. When only a refresh failed, it shows the old data with a
 * message.
 */
export function Loaded<T>({ query, children, lines = 4 }: LoadedProps<T>) {
  if (query.data === undefined && query.error)
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) {
    return (
      <Stack gap="xs" aria-busy="true" aria-label={texts.loading} role="status">
        {Array.from({ length: lines }, (_, line) => (
          <Skeleton key={line} height={28} radius="sm" />
        ))}
      </Stack>
    );
  }
  return (
    <>
      {query.error && (
        <Text size="sm" c="red" role="status" mb="xs">
          {texts.errors.offline}
        </Text>
      )}
      {children(query.data)}
    </>
  );
}
