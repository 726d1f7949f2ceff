import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyWorkspace } from '../new/workspace-copy.mjs';
import { inRoot, readJson } from './paths.mjs';

const SALES = 'libs/contracts/src/events/sale.ts';
const QUALIFIED_AT = '  @IsISO8601({ strict: true })\n  qualifiedAt!: string;\n';

describe('npm run contracts -- check, in a copy of the workspace', { timeout: 240_000 }, () => {
  let copy;
  before(() => (copy = copyWorkspace()));
  after(() => fs.rmSync(copy, { recursive: true, force: true }));

  it('names the field that was removed while apps that use it do not compile', () => {
    const file = path.join(copy, SALES);
    const text = fs.readFileSync(file, 'utf8');
    assert.ok(text.includes(QUALIFIED_AT));
    fs.writeFileSync(file, text.replace(QUALIFIED_AT, ''));

    const [program, ...args] = readJson(inRoot('package.json')).scripts.contracts.split(' ');
    assert.equal(program, 'node');
    const { status, stderr } = spawnSync(process.execPath, [...args, 'check'], { cwd: copy, encoding: 'utf8' });
    assert.match(stderr, /sale\.completed, field "qualifiedAt": it was removed \[field-removed\]/);
    assert.equal(status, 1);
  });
});
