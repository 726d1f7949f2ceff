import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What the demo needs to know of a running stack. */
export interface Stack {
  baseUrl: string;
  partners: { manager: { token: string } };
  webhooks: { payments: { secret: string } };
  sandbox: { url: string; store: string; vendor: string; issuer: string };
  eventBus: string;
}

/** The stack that `npm start` wrote down. @throws when none runs */
export function readStack(): Stack {
  const root = path.resolve(__dirname, '../../..');
  const file = path.join(path.resolve(root, process.env.TANDEM_DIR || '.tandem'), 'stack.json');
  if (!existsSync(file)) throw new Error('no stack runs here: start one with npm start, then run the demo beside it');
  return JSON.parse(readFileSync(file, 'utf8')) as Stack;
}
