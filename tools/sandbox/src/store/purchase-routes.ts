import type { FastifyInstance } from 'fastify';
import { SandboxError } from '../errors';
import { registerForms } from '../forms';
import type { PurchaseDesk } from './purchase';
import { BUTTONS, changesOf, purchasePage, purchasesPage } from './purchases.page';
import type { Change, SubscriptionBook } from './subscription-book';

interface OfPurchase {
  Params: { id: string };
}

/** The maximum number of purchases on the page that lists them. */
const SHOWN = 50;

/** Registers the pages of the purchases. Their buttons change a subscription as `POST /store/subscriptions/{id}/{change}` does. */
export function registerPurchases(app: FastifyInstance, desk: PurchaseDesk, book: SubscriptionBook): void {
  app.get('/store/purchases', (_request, reply) => reply.type('text/html').send(purchasesPage(book.latest(SHOWN))));
  app.get<OfPurchase>('/store/purchases/:id', (request, reply) =>
    reply.type('text/html').send(purchasePage(book.get(request.params.id))),
  );
  registerForms(app, (scope) => {
    scope.post<OfPurchase & { Body: URLSearchParams }>('/store/purchases/:id', async (request, reply) => {
      const subscription = book.get(request.params.id);
      const change = readChange(request.body);
      // Since the page was opened, another change may have made this change impossible. Then nothing is changed, and the
      // page shows the present state.
      if (changesOf(subscription).includes(change)) await desk.change(subscription.subscriptionId, change);
      return reply.redirect(`/store/purchases/${encodeURIComponent(subscription.subscriptionId)}`, 303);
    });
  });
}

function readChange(form: URLSearchParams): Change {
  const button = BUTTONS.find(({ change }) => change === form.get('change'));
  if (!button) throw new SandboxError(400, 'change: must be one of the buttons of the page');
  return button.change;
}
