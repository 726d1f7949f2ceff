const TICK_MS = 100;

/**
 * Returns a signal that aborts after `limitMs`, rounded up to a multiple of 100 ms, and a function that ends the wait.
 *
 * Time is counted by ticks: each tick counts as 100 ms, even if it comes late. So a request does not time out because
 * this process or the whole machine stood still while the answer arrived.
 */
export function patience(limitMs: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  let leftMs = limitMs;
  const ticks = setInterval(() => {
    leftMs -= TICK_MS;
    if (leftMs > 0) return;
    clearInterval(ticks);
    controller.abort(new DOMException('There was no answer in time.', 'TimeoutError'));
  }, TICK_MS);
  return { signal: controller.signal, end: () => clearInterval(ticks) };
}
