import { QueryClient } from '@tanstack/react-query';
import { toApiError } from './problem';

const RETRIES = 2;
/** How often a visible page refreshes itself. */
export const LIVE_MS = 15_000;

/** The options of reads that leave an entry in an audit trail. Such reads must not happen automatically, only when a person causes them. */
export const AUDITED = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < RETRIES && toApiError(error).isPassing,
      retryDelay: (count) => Math.min(500 * 2 ** count, 4_000),
    },
    mutations: { retry: false },
  },
});
