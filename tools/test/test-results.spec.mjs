import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inRoot } from '../stack/paths.mjs';
import { filesWithSkipped } from './test-results.mjs';

describe('filesWithSkipped', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'results-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const write = (name, text) => {
    fs.writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };

  it('returns each file with skipped tests once', () => {
    const result = (name, ...statuses) => ({
      name: inRoot(name),
      assertionResults: statuses.map((status) => ({ status })),
    });
    const testResults = [
      result('tools/b.spec.ts', 'pending', 'pending', 'passed'),
      result('tools/c.spec.ts', 'passed'),
    ];
    const jest = write('jest.json', JSON.stringify({ testResults }));
    expect(filesWithSkipped(jest)).toEqual(['tools/b.spec.ts']);
  });
});
