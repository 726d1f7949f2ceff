import { isSignedBy, type Postback } from './inbox';
import type { Narrator } from './narrator';

/** The exact fields of a postback. Every value except `items` is a string. */
const FIELDS = ['currency', 'emailMasked', 'items', 'oid', 'sharedId'];
/** The exact fields of an item. Every value is a string. */
const ITEM_FIELDS = ['category', 'price', 'quantity', 'sku', 'tier'];

/** The secrets by which a partner authenticates a postback. */
export interface PostbackSecrets {
  key: string;
  signing: string;
}

const sortedKeys = (value: object): string[] => Object.keys(value).sort();
const allTexts = (value: object, names: string[]): boolean =>
  names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string');

/** Checks a postback completely: fields, types, authentication, signature. */
export function checkPostback(narrator: Narrator, postback: Postback, secrets: PostbackSecrets): void {
  const { method, headers, body } = postback;
  narrator.received(`${method} with webhook-id ${headers['webhook-id']}`, body);
  narrator.equal(
    'it is a POST of JSON',
    [method, headers['content-type']?.split(';')[0]],
    ['POST', 'application/json'],
  );
  narrator.equal(`its fields are exactly ${FIELDS.join(', ')}`, sortedKeys(body), FIELDS);
  narrator.check(
    'each field except items is a string',
    allTexts(
      body,
      FIELDS.filter((name) => name !== 'items'),
    ),
    body,
  );
  const items = body.items as Record<string, unknown>[];
  narrator.check('items is a list that is not empty', Array.isArray(items) && items.length > 0, items);
  for (const item of items) {
    narrator.equal(`an item's fields are exactly ${ITEM_FIELDS.join(', ')}`, sortedKeys(item), ITEM_FIELDS);
    narrator.check('each field of the item is a string', allTexts(item, ITEM_FIELDS), item);
    narrator.check('the price has exactly 2 decimals', /^\d+\.\d{2}$/.test(String(item.price)), item.price);
    narrator.equal('the sku is "Sell"', item.sku, 'Sell');
  }
  narrator.check("it carries the partner's own key", headers.authorization === `Bearer ${secrets.key}`);
  narrator.check('its Standard Webhooks signature is valid', isSignedBy(secrets.signing, postback));
}
