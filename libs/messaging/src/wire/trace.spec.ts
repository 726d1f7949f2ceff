import { continueTrace, currentTraceparent, runWithTrace } from './trace';

const VALID = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

describe('trace context', () => {
  it('keeps the trace id and the flags, with a new parent id', () => {
    const next = continueTrace(VALID);
    expect(next).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
    expect(next).not.toBe(VALID);
  });

  it('understands a later version, and answers in its own', () => {
    expect(continueTrace(`cc${VALID.slice(2)}-more`)).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff${VALID.slice(2)}`,
    `${VALID}-more`,
    VALID.toUpperCase(),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-00`,
    `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-00`,
  ])('begins a new trace for %s', (traceparent) => {
    const next = continueTrace(traceparent);
    expect(next).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(next).not.toContain('0af7651916cd43dd8448eb211c80319c');
  });

  it('lasts for the work and everything it awaits, and ends with it', async () => {
    await runWithTrace(VALID, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      expect(currentTraceparent()).toContain('0af7651916cd43dd8448eb211c80319c');
    });
    expect(currentTraceparent()).toBeUndefined();
  });
});
