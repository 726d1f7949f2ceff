import { escapeHtml, timesLeft } from '../html';
import type { InboxBehaviour } from './inbox';

/** The delay of the slow answer. It is longer than the time limit of an attempt (POSTBACK_TIMEOUT_MS), which is 15 s by default. */
const SLOW_MS = 30_000;

/** The answers that the page of an inbox offers. A chosen answer applies until another one is chosen. */
export const ANSWERS: readonly { value: string; label: string; behaviour: Partial<InboxBehaviour> }[] = [
  { value: '500', label: 'Fail: answer 500', behaviour: { status: 500 } },
  { value: '410', label: 'Fail: answer 410 (Gone)', behaviour: { status: 410 } },
  { value: 'slow', label: `Be slow: answer after ${SLOW_MS / 1000} s`, behaviour: { delayMs: SLOW_MS } },
  { value: '200', label: 'Recover: answer 200', behaviour: {} },
];

/** Returns the form that shows how an inbox answers, with a button for each answer. @param action the URL that gets the form */
export function behaviourForm(action: string, behaviour: InboxBehaviour): string {
  const buttons = ANSWERS.map(
    ({ value, label }) => `<button class="quiet" name="answer" value="${value}">${escapeHtml(label)}</button>`,
  );
  const className = isHealthy(behaviour) ? 'tag' : 'tag bad';
  return `<form class="card" method="post" action="${action}">
      <h2>This endpoint <span class="${className}">${describe(behaviour)}</span></h2>
      <p class="muted">Make it fail, buy in the store, and watch the delivery in the console. After a 500 and after a slow answer, the postback is
      sent again later. A 410 disables the endpoint: let it recover, then enable it in the console or in the portal.</p>
      <div class="choices">${buttons.join('')}</div>
    </form>`;
}

const isHealthy = ({ status, delayMs, hang }: InboxBehaviour): boolean => status < 300 && delayMs === 0 && !hang;

function describe({ status, delayMs, hang, times }: InboxBehaviour): string {
  const answer = hang ? 'does not answer' : `answers ${status}`;
  const wait = delayMs > 0 && !hang ? ` after ${delayMs / 1000} s` : '';
  return answer + wait + timesLeft(times);
}
