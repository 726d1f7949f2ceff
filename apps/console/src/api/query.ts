import { QueryClient } from '@tanstack/react-query';
import { toApiError } from './problem';

const RETRIES = 2;
/** How often a page with live data refreshes itself while it is visible, in ms. */
export const LIVE_MS = 15_000;

/**
 * The options of a query for data whose every request the API records in an audit trail. Such a query is not repeated when the window gets the focus
 * or the connection returns.
 */
export const AUDITED = { refetchOnWindowFocus: false, refetchOnReconnect: false } as const;

/**
 * Requests are also sent while the browser is offline, so that they fail and the page says so. By default, they would wait silently for the connection,
 * and an action would be performed later, when the user no longer expects it.
 */
const networkMode = 'always';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      // Must be set, because the default is false if `networkMode` is `always`.
      refetchOnReconnect: true,
      staleTime: 5_000,
      retry: (count, error) => count < RETRIES && toApiError(error).isPassing,
      retryDelay: (count) => Math.min(500 * 2 ** count, 4_000),
    },
    // The input of a form is discarded when the form is closed, because the input may be personal data.
    mutations: { networkMode, retry: false, gcTime: 0 },
  },
});
