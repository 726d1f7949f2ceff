import type { PostbackAttemptView } from '@tandem/internal-api';

/** Describes how an attempt failed: by its error if there was no answer, otherwise by the answer (see {@link withStatus}). */
export const failureOf = (attempt: PostbackAttemptView | undefined): string =>
  attempt === undefined ? 'no attempt kept' : attempt.status === null ? String(attempt.error) : withStatus(attempt);

/**
 * Describes an HTTP answer by its status and the attempt's error. The error `status` is left out, because it only means that the status was
 * not 2xx.
 */
const withStatus = ({ status, error }: PostbackAttemptView): string =>
  `status ${status}${error === null || error === 'status' ? '' : ` (${error})`}`;
