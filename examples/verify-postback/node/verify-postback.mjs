// Verifies Tandem's postbacks (https://www.standardwebhooks.com) with Node's own modules: Node 18 or newer.
//
//   POSTBACK_AUTHORIZATION='Bearer my-own-key' POSTBACK_SIGNING_SECRETS='whsec_…' PORT=3000 node verify-postback.mjs
//
// This runs an endpoint that accepts signed postbacks; copy verifyPostback() into your code. With `authMethod` Basic, the
// authorization is 'Basic <base64 of user:password>'. During the rotation of a secret, pass the new and the old one, separated
// by a space: POSTBACK_SIGNING_SECRETS='whsec_new… whsec_old…'.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const TOLERANCE_SECONDS = 300;
/** The maximum size of a body. No postback is larger. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * @param {string} authorization  the whole header that you expect: `Bearer <key>`, or `Basic <base64 of user:password>`
 * @param {string[]} secrets  `whsec_…`. Pass several during a rotation: one of them must match
 * @param {Record<string, string | undefined>} headers  with names in lower case, as Node provides them
 * @param {Buffer} rawBody  the body exactly as it was received: JSON that was parsed and serialized again may differ
 * @returns {string} the webhook-id, the same for every retry
 * @throws {Error} when the postback cannot be trusted
 */
export function verifyPostback(authorization, secrets, headers, rawBody, now = Date.now()) {
  if (!sameText(headers.authorization ?? '', authorization)) throw new Error('the authorization is wrong');
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) throw new Error('a webhook header is missing');
  if (!/^\d{1,12}$/.test(timestamp)) throw new Error('the timestamp is not in Unix seconds');
  if (Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new Error('the timestamp is too old or too new');

  // The header has one entry for each secret that signs: "v1,<base64> v1,<base64>". Entries of other versions are ignored.
  const received = signatures.split(' ').filter((entry) => entry.startsWith('v1,'));
  let matches = 0;
  for (const secret of secrets) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
    for (const entry of received) matches += sameText(entry, `v1,${digest}`) ? 1 : 0;
  }
  if (matches === 0) throw new Error('no signature matches');
  return id;
}

/** Compares two texts in constant time, so that the duration does not reveal how many characters match. */
function sameText(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Ids of handled postbacks. Store yours in a database, with a unique key, in the transaction that books the sale. */
const handled = new Set();

async function takePostback(settings, request, response) {
  const chunks = [];
  let length = 0;
  // A body above the limit is also read to its end: if the connection were closed earlier, the sender might not see the answer.
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (length > MAX_BODY_BYTES) {
    response.writeHead(413).end('the body is too long');
    return;
  }
  const rawBody = Buffer.concat(chunks);
  let id;
  let body;
  try {
    id = verifyPostback(settings.authorization, settings.secrets, request.headers, rawBody);
    body = bodyOf(rawBody);
  } catch (error) {
    response.writeHead(401).end(error.message);
    return;
  }
  if (handled.has(id)) {
    response.writeHead(200).end('handled before');
    return;
  }
  const answer = handle(body);
  handled.add(id);
  response.writeHead(200).end(answer);
}

/** Returns the fields of a body. Throws if the body is not a sale, a notice or another event. */
function bodyOf(rawBody) {
  const body = JSON.parse(rawBody.toString('utf8')) ?? {};
  const { event, oid, items, status } = body;
  const isSale = event === undefined && typeof oid === 'string' && Array.isArray(items);
  const isNotice = event === 'sale.closed' && typeof oid === 'string' && typeof status === 'string';
  const isOther = event !== undefined && event !== 'sale.closed';
  if (!isSale && !isNotice && !isOther) throw new Error('the body is not a postback');
  return body;
}

/**
 * Handles a sale, or a notice that a sale was refunded or charged back: both are sent to the same URL. Distinguish them by the body, because
 * the body is signed and the header `X-Event` is not.
 */
function handle({ event, oid, sharedId, status }) {
  if (event === undefined && oid.startsWith('test_')) return 'sample'; // sent by POST /partner/postback/test: book nothing
  if (event === undefined) {
    console.log(`sale ${oid} of ${sharedId || 'no reference'}`);
    return 'handled';
  }
  if (event === 'sale.closed') {
    console.log(`sale ${oid} is ${status}`); // refunded or charged_back: take back what you gave for it
    return 'closed';
  }
  return 'ignored'; // an event of a later version
}

/**
 * Returns the expected `Authorization` header and the secrets. Throws if one is missing or malformed: with such settings,
 * every postback would be refused or, worse, accepted.
 */
function readSettings({ POSTBACK_AUTHORIZATION: authorization = '', POSTBACK_SIGNING_SECRETS: list = '' }) {
  if (!/^(Bearer|Basic) \S+$/.test(authorization))
    throw new Error('POSTBACK_AUTHORIZATION must be "Bearer <key>" or "Basic <base64 of user:password>"');
  const secrets = list.split(' ').filter(Boolean);
  if (secrets.length === 0 || !secrets.every((secret) => /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)))
    throw new Error('POSTBACK_SIGNING_SECRETS must be whsec_…; during a rotation two of them, separated by a space');
  return { authorization, secrets };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  let settings;
  try {
    settings = readSettings(process.env);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
  const server = createServer((request, response) => {
    takePostback(settings, request, response).catch((error) => {
      console.error(error);
      // Any answer except 2xx and 410 makes Tandem send the postback again later.
      response.writeHead(500).end();
    });
  });
  server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () =>
    console.log(`listening on http://127.0.0.1:${server.address().port}`),
  );
}
