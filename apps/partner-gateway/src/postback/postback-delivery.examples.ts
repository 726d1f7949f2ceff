import type {
  PostbackDeliveryPage,
  PostbackTestResult,
  ReplayedPostbackDelivery,
  RotatedSigningSecret,
} from '@tandem/internal-api';

const ID = '019cb1f7-5a00-7c3e-9f4b-2d6c8e1a7b90';

export const DELIVERY_PAGE_EXAMPLE: PostbackDeliveryPage = {
  items: [
    {
      id: ID,
      oid: 'sub-1001',
      status: 'delivered',
      createdAt: '2026-03-01T12:00:00.000Z',
      deliveredAt: '2026-03-01T12:00:05.310Z',
      nextAttemptAt: null,
      attempts: [
        {
          number: 1,
          at: '2026-03-01T12:00:00.004Z',
          status: 503,
          latencyMs: 41,
          error: 'status',
          response: 'busy, come back later',
        },
        { number: 2, at: '2026-03-01T12:00:05.262Z', status: 200, latencyMs: 38, error: null, response: null },
      ],
    },
  ],
  nextCursor: 'AAZMkhzpCAABnLH3WgB8Pp9LLWyOGnuQd0b5bm0WJ1dM3vH2mY5x1Q2k',
  hasMore: true,
};

export const REPLAYED_EXAMPLE: ReplayedPostbackDelivery = { id: ID };

export const TEST_RESULT_EXAMPLE: PostbackTestResult = {
  delivered: false,
  status: null,
  latencyMs: 15_000,
  error: 'timeout (waiting)',
  response: null,
};

export const SIGNING_SECRET_EXAMPLE: RotatedSigningSecret = { signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
