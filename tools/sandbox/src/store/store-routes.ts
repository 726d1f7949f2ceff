import type { FastifyInstance } from 'fastify';
import { SandboxError } from '../errors';
import { registerForms } from '../forms';
import { KRN_PATTERN, newKrn, readKrn } from '../krn';
import { checkoutPage, receiptPage } from './checkout.page';
import type { CheckoutLinks } from './checkout-link';
import type { PaymentsWebhooks } from './payments-webhooks';
import { isPlan, PLAN_NAMES, type Plan } from './plans';
import { PurchaseDesk, type Order } from './purchase';
import { registerPurchases } from './purchase-routes';
import { type Change, CHANGES, PAYMENT_STATUSES, type SubscriptionBook } from './subscription-book';

interface OfSubscription {
  Params: { id: string };
}

const text = { type: 'string', minLength: 1, maxLength: 1024 };
const time = { type: 'string', format: 'date-time' };
const email = { type: 'string', format: 'email', maxLength: 254 };

const orderBody = {
  type: 'object',
  required: ['email'],
  additionalProperties: false,
  properties: {
    checkoutUrl: { type: 'string', minLength: 1, maxLength: 16_384 },
    promotionCode: { ...text, maxLength: 200 },
    data4: { type: 'string', maxLength: 1024 },
    email,
    krn: { type: 'string', pattern: KRN_PATTERN },
    plan: { enum: PLAN_NAMES },
    quantity: { type: 'integer', minimum: 1, maximum: 1000 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    couponCode: { ...text, maxLength: 200 },
    paymentStatus: { enum: PAYMENT_STATUSES },
  },
};
const changeBody = { type: ['object', 'null'], additionalProperties: false, properties: { effectiveAt: time } };
const changePlanBody = {
  type: 'object',
  required: ['plan'],
  additionalProperties: false,
  properties: { plan: { enum: PLAN_NAMES }, effectiveAt: time },
};

/** Registers the store: a checkout page for people, and JSON routes that sell plans and change subscriptions. */
export function registerStore(
  app: FastifyInstance,
  parts: { webhooks: PaymentsWebhooks; book: SubscriptionBook; links: CheckoutLinks },
): void {
  const desk = new PurchaseDesk(parts.webhooks, parts.book, parts.links);
  registerPages(app, desk, parts);
  registerPurchases(app, desk, parts.book);

  app.post<{ Body: Order }>('/store/buy', { schema: { body: orderBody } }, async (request, reply) =>
    reply.code(201).send(await desk.buy(request.body)),
  );
  for (const change of Object.keys(CHANGES) as Change[]) {
    app.post<OfSubscription & { Body?: { effectiveAt?: string } | null }>(
      `/store/subscriptions/:id/${change}`,
      { schema: { body: changeBody } },
      (request) => desk.change(request.params.id, change, request.body?.effectiveAt),
    );
  }
  app.post<OfSubscription & { Body: { plan: Plan; effectiveAt?: string } }>(
    '/store/subscriptions/:id/change-plan',
    { schema: { body: changePlanBody } },
    (request) => desk.changePlan(request.params.id, request.body.plan, request.body.effectiveAt),
  );
  app.get<OfSubscription>('/store/webhooks/:id', (request) => parts.webhooks.get(request.params.id));
  app.post<OfSubscription>('/store/webhooks/:id/resend', async (request) => ({
    webhook: await parts.webhooks.resend(request.params.id),
  }));
}

function registerPages(
  app: FastifyInstance,
  desk: PurchaseDesk,
  { links, book }: { links: CheckoutLinks; book: SubscriptionBook },
): void {
  app.get('/store/checkout', (request, reply) => {
    const query = new URLSearchParams(request.url.split('?')[1] ?? '');
    const krn = query.get('account') === 'new' ? newKrn() : '';
    const input = { email: 'jane.doe@example.com', krn, promotionCode: '' };
    return reply.type('text/html').send(checkoutPage(links.read(query, new Date()), query, input));
  });
  registerForms(app, (scope) => {
    scope.post<{ Body: URLSearchParams }>('/store/checkout', async (request, reply) => {
      if (request.body.get('account') === 'new') {
        return reply.type('text/html').send(pageWithNewAccount(request.body, links));
      }
      const receipt = await desk.buy(readForm(request.body));
      return reply
        .code(201)
        .type('text/html')
        .send(receiptPage(receipt, book.get(receipt.subscriptionId)));
    });
  });
}

/** Returns the checkout page with a new user account, and with everything else that was filled in. */
function pageWithNewAccount(form: URLSearchParams, links: CheckoutLinks): string {
  const query = new URLSearchParams(form.get('query') ?? '');
  query.set('plan', form.get('plan') ?? '');
  const [email, promotionCode] = [form.get('email') ?? '', form.get('promotionCode') ?? ''];
  return checkoutPage(links.read(query, new Date()), query, { email, krn: newKrn(), promotionCode });
}

/** Reads the form of the checkout page. The form includes the query of the checkout URL. */
function readForm(form: URLSearchParams): Order {
  const plan = form.get('plan');
  const buyer = form.get('email') ?? '';
  if (!/^[^\s@]+@[^\s@]+$/.test(buyer)) throw new SandboxError(400, 'email: an e-mail address is needed');
  if (plan !== null && !isPlan(plan)) throw new SandboxError(400, `plan: the store has no plan "${plan}"`);
  const krn = readKrn(form.get('krn'));
  if (form.get('krn')?.trim() && !krn)
    throw new SandboxError(400, 'krn: must be the KRN of a user, such as krn:tandem:dev:user:b');
  const promotionCode = form.get('promotionCode')?.trim();
  return {
    email: buyer,
    ...(krn && { krn }),
    ...(plan && { plan }),
    ...(promotionCode && { promotionCode }),
    checkoutUrl: `http://store.invalid/?${form.get('query') ?? ''}`,
  };
}
