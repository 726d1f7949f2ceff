import { readFileSync } from 'node:fs';
import path from 'node:path';
import { documentsOf } from '@tandem/service-defaults';
import { app } from '../src/app';

const ROOT = path.resolve(__dirname, '../../..');

it('docs/openapi/discovery-api.json, which `npm run openapi` writes, matches the code [discovery.openapi]', async () => {
  for (const [file, document] of await documentsOf(app)) {
    const checkedIn: unknown = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
    expect(checkedIn).toEqual(JSON.parse(JSON.stringify(document)));
  }
});
