import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The parts of a running stack's description that the demo needs. */
export interface Stack {
  baseUrl: string;
  partners: { manager: { token: string } };
  webhooks: { payments: { secret: string } };
  /** `endpoints`: the inbox's address for the platform. */
  sandbox: { inbox: string; endpoints: string; store: string; vendor: string; issuer: string };
  eventBus: string;
}

/** The stack described by `npm start` or `npm run stack:info`. @throws when there is none */
export function readStack(): Stack {
  const root = path.resolve(__dirname, '../../..');
  const file = path.join(path.resolve(root, process.env.TANDEM_DIR || '.tandem'), 'stack.json');
  if (!existsSync(file))
    throw new Error(
      'no stack runs here: start one with npm start, or describe one in containers with npm run stack:info',
    );
  return JSON.parse(readFileSync(file, 'utf8')) as Stack;
}
