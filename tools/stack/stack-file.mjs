import fs from 'node:fs';
import { describeRefusal, requestJson, untilReady } from './http.mjs';
import { userTokens } from './demo-users.mjs';
import { platformUrl } from './environment.mjs';
import { readJson, SEED_FILE, STACK_FILE, VOUCHER_SEED_FILE, writePrivately } from './paths.mjs';
import { APPS } from '../../apps/apps.js';
import { krnOf, mintToken, TOKEN_SECONDS } from './tokens.mjs';

const READY_MS = 60_000;

/** Reads the description of the stack, which `npm start` or `npm run stack:info` writes. @throws when there is none */
export function readStack() {
  if (!fs.existsSync(STACK_FILE)) throw new Error('no stack runs here: start one with npm start');
  return readJson(STACK_FILE);
}

/**
 * Waits until the running apps are ready, then returns the description of the stack for stack.json: URLs, tokens and development secrets.
 * `npm start` adds the links of the console. `environment.endpointsUrl` is the URL at which the apps reach the sandbox's inbox. Default:
 * the URL at which this machine reaches the inbox.
 */
export async function describeStack({ environment, ports, bus, superuserUrl, kafkaBrokers, running }) {
  const { baseUrl, sandboxUrl, endpointsUrl = `${sandboxUrl}/inbox` } = environment;
  await Promise.all(running.map((name) => untilReady(`http://127.0.0.1:${ports[name]}/readyz`, READY_MS)));
  const issuer = `${sandboxUrl}/issuer`;
  const mint = (name, scope) =>
    mintToken(issuer, { family: 'service', sub: krnOf(name), scope, expiresIn: TOKEN_SECONDS });
  const [managerToken, paymentsToken, arrayToken, supportToken, users] = await Promise.all([
    mint('partner-manager', 'partner:manage'),
    mint('billing', 'payments'),
    mint('array', 'webhook'),
    mint('support', 'support'),
    userTokens(issuer),
  ]);
  return {
    baseUrl,
    apps: Object.fromEntries(APPS.map(({ name, docs }) => [name, appLinks(`http://127.0.0.1:${ports[name]}`, docs)])),
    partners: { ...demoPartners(), manager: { token: managerToken } },
    users,
    support: { token: supportToken },
    operator: { privateKey: environment.operatorPrivateKey },
    webhooks: {
      array: {
        secret: environment.arrayWebhookSecret,
        previousSecret: environment.previousArrayWebhookSecret,
        appKey: environment.vendorAppKey,
        token: arrayToken,
      },
      payments: {
        secret: environment.webhookSecret,
        previousSecret: environment.previousWebhookSecret,
        token: paymentsToken,
      },
    },
    sandbox: {
      url: sandboxUrl,
      inbox: `${sandboxUrl}/inbox`,
      endpoints: endpointsUrl,
      store: `${sandboxUrl}/store`,
      vendor: `${sandboxUrl}/vendor`,
      issuer,
    },
    postgres: { url: platformUrl(superuserUrl) },
    eventBus: bus,
    ...(kafkaBrokers && { kafka: { brokers: kafkaBrokers } }),
  };
}

/** Returns the demo partners, each with the ids of its voucher groups if it has any. */
function demoPartners() {
  const { partners } = readJson(SEED_FILE);
  const groups = readJson(VOUCHER_SEED_FILE);
  return Object.fromEntries(Object.entries(partners).map(([name, partner]) => [name, { ...partner, ...groups[name] }]));
}

/** Returns the URL of the console, and a link that opens the portal of the promotion partner once. */
export async function describeConsole({ baseUrl, partners }) {
  const { manager, promotion } = partners;
  const made = await requestJson('POST', `${baseUrl}/admin/partners/${promotion.id}/portal-links`, {
    token: manager.token,
    body: { environment: 'live' },
  });
  if (made.status !== 201) throw new Error(`the portal link was refused: ${describeRefusal(made)}`);
  return { url: `${baseUrl}/console/`, portalLink: made.body.url };
}

/** Returns the URLs of an app. @param {string} url @param {readonly string[]} [docs] the paths below which the app serves API documents */
const appLinks = (url, docs = ['/docs']) => ({
  url,
  docs: `${url}${docs[0]}/openapi.json`,
  metrics: `${url}/metrics`,
  health: `${url}/readyz`,
});

export const writeStack = (stack) => writePrivately(STACK_FILE, stack);

/**
 * Makes the sandbox's inbox the promotion partner's endpoint for live and for test. Keeps an endpoint that a developer has configured.
 * @returns {Promise<string>} a note to print about the live endpoint: its URL, after `kept: ` if it was not changed
 */
export async function configurePostback(stack, key) {
  const url = `${stack.baseUrl}/api/v2/partner/postback`;
  const { token, testToken } = stack.partners.promotion;
  const outcomes = await Promise.all([token, testToken].map((credential) => configureOne(url, credential, stack, key)));
  return outcomes[0];
}

async function configureOne(url, token, stack, key) {
  const present = await requestJson('GET', url, { token });
  if (present.status === 200 && !isOldInbox(present.body.url, stack.sandbox.endpoints))
    return `kept: ${present.body.url}`;
  const saved = await requestJson('POST', url, {
    token,
    body: { url: stack.sandbox.endpoints, authMethod: 'Bearer', key },
  });
  if (saved.status !== 201 && saved.status !== 200) {
    throw new Error(`the postback configuration was refused: ${describeRefusal(saved)}`);
  }
  const { signingSecret } = saved.body;
  if (signingSecret) await addSecretToInbox(stack, signingSecret);
  return saved.body.url;
}

/**
 * Gives the inbox the endpoint's signing secret, so that the inbox can show whether signatures are valid. The API returns the secret only
 * once.
 */
async function addSecretToInbox(stack, secret) {
  const added = await requestJson('POST', `${stack.sandbox.inbox}/default/signing-secrets`, { body: { secret } });
  if (added.status !== 201) throw new Error(`the inbox refused its signing secret: ${describeRefusal(added)}`);
}

/** Returns whether a URL is that of the inbox at another port, from an earlier start. */
const isOldInbox = (url, inbox) => url !== inbox && /^http:\/\/127\.0\.0\.1:\d+\/inbox$/.test(url);
