// Verifies Tandem's postbacks (https://www.standardwebhooks.com) with Node's own modules: Node 18 or newer.
//
//   POSTBACK_SIGNING_SECRETS='whsec_…' PORT=3000 node verify-postback.mjs
//
// runs an endpoint that takes signed postbacks; verifyPostback() is what you copy.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const TOLERANCE_SECONDS = 300;

/**
 * @param {string[]} secrets  `whsec_…`; several while you rotate: one that fits is enough
 * @param {Record<string, string | undefined>} headers  names in lower case, as Node gives them
 * @param {Buffer} rawBody  the bytes as they came: JSON that was parsed and written again may differ
 * @returns {string} the webhook-id, the same for every retry
 * @throws {Error} when the postback is not to be trusted
 */
export function verifyPostback(secrets, headers, rawBody, now = Date.now()) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) throw new Error('a webhook header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw new Error('the timestamp is not in Unix seconds');
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new Error('the timestamp is too old or too new');

  // One entry for each secret that signs: "v1,<base64> v1,<base64>". Entries of other versions are passed over.
  const received = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  let matches = 0;
  for (const secret of secrets) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
    for (const entry of received) matches += sameText(entry, `v1,${digest}`) ? 1 : 0;
  }
  if (matches === 0) throw new Error('no signature fits');
  return id;
}

/** Compares in constant time: how long it takes must not tell how much was right. */
function sameText(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Ids of postbacks that were handled. Yours belong in a database: a unique key, in the transaction that books the sale. */
const handled = new Set();

async function takePostback(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const rawBody = Buffer.concat(chunks);
  let id;
  try {
    const secrets = (process.env.POSTBACK_SIGNING_SECRETS ?? '').split(' ').filter(Boolean);
    id = verifyPostback(secrets, request.headers, rawBody);
  } catch (error) {
    response.writeHead(401).end(error.message);
    return;
  }
  if (handled.has(id)) {
    response.writeHead(200).end('handled before');
    return;
  }
  const sale = JSON.parse(rawBody.toString('utf8'));
  console.log(`sale ${sale.oid} of ${sale.sharedId || 'no reference'}`);
  handled.add(id);
  response.writeHead(200).end('handled');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = createServer((request, response) => {
    takePostback(request, response).catch((error) => {
      console.error(error);
      // Not 2xx: it is sent again later.
      response.writeHead(500).end();
    });
  });
  server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
    console.log(`listening on http://127.0.0.1:${server.address().port}`),
  );
}
