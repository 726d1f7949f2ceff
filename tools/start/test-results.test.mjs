import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { inRoot } from './paths.mjs';
import { filesWithSkipped } from './test-results.mjs';

describe('the results of a run', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'results-'));
  after(() => fs.rmSync(folder, { recursive: true }));
  const write = (name, text) => {
    fs.writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };

  it('name each file with a skipped test, of either runner, once', () => {
    const result = (name, ...statuses) => ({
      name: inRoot(name),
      assertionResults: statuses.map((status) => ({ status })),
    });
    const testResults = [
      result('tools/b.spec.ts', 'pending', 'pending', 'passed'),
      result('tools/c.spec.ts', 'passed'),
    ];
    const jest = write('jest.json', JSON.stringify({ testResults }));
    const lines = [
      { file: inRoot('tools/a.test.mjs'), skipped: true },
      { file: inRoot('tools/d.test.mjs'), skipped: false },
    ];
    const node = write('node.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    assert.deepEqual(filesWithSkipped(jest, node), ['tools/a.test.mjs', 'tools/b.spec.ts']);
    assert.deepEqual(filesWithSkipped(jest, undefined), ['tools/b.spec.ts']);
  });
});
