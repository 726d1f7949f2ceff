import { readFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from '../src/openapi/documents';

const ROOT = path.resolve(__dirname, '../../..');

it('docs/openapi/client-api.json is what the code says: npm run openapi', async () => {
  for (const [file, content] of await generatedDocuments()) {
    const checkedIn: unknown = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
    expect(checkedIn).toEqual(JSON.parse(content));
  }
});
