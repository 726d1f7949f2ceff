import fs from 'node:fs';
import { inRoot } from '../stack/paths.mjs';

/** Returns the actions, such as `sale.released`, that a list in a source file contains. */
const actionsIn = (file) => {
  const source = fs.readFileSync(inRoot(file), 'utf8');
  const [, list = ''] = /(?:AUDITED_ACTIONS =|actions:) \[([^\]]*)\]/.exec(source) ?? [];
  return [...list.matchAll(/'([a-z_.]+)'/g)].map(([, action]) => action);
};

describe('the audit filter of the console', () => {
  it('offers exactly the actions that partner-gateway records', () => {
    const recorded = actionsIn('apps/partner-gateway/src/audit/audited-actions.ts');
    expect(recorded.length).toBeGreaterThan(0);
    expect(actionsIn('apps/console/src/texts/audit.ts')).toEqual(recorded);
  });
});
