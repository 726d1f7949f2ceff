import type { Client } from 'pg';
import { createAccount } from '../partner/rows';
import type { Offer } from './purchases';

/** For each port of the sink, creates a partner whose endpoint is at this port, with a promotion and a checkout URL. */
export async function createOffers(client: Client, gatewayUrl: string, ports: readonly number[]): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (const [index, port] of ports.entries()) {
    const promotionCode = `BENCH${index}`;
    const { token } = await createAccount(client, 'promotion', promotionCode);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const endpoint = { url: `http://127.0.0.1:${port}/postback`, authMethod: 'Bearer', key: 'bench-key' };
    await call(`${gatewayUrl}/api/v2/partner/postback`, { method: 'POST', headers, body: JSON.stringify(endpoint) });
    const query = 'ref_id=order&plan=advanced&currency=USD';
    const answer = await call(`${gatewayUrl}/api/v2/partner/subscription/create-checkout-url?${query}`, { headers });
    const { checkoutUrl } = answer as { checkoutUrl: string };
    offers.push({ promotionCode, checkoutToken: new URL(checkoutUrl).searchParams.get('checkout') ?? '' });
  }
  return offers;
}

async function call(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${text}`);
  return JSON.parse(text);
}
