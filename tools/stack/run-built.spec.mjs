import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { copyWorkspace } from '../new/workspace-copy.mjs';
import { inRoot, readJson } from './paths.mjs';

jest.setTimeout(240_000);

const SALES = 'libs/contracts/src/events/sale.ts';
const QUALIFIED_AT = '  @IsISO8601({ strict: true })\n  qualifiedAt!: string;\n';

describe('npm run contracts -- check, in a copy of the workspace', () => {
  let copy;
  beforeAll(() => (copy = copyWorkspace()));
  afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

  it('names a removed field even when apps that use the field do not compile', () => {
    const file = path.join(copy, SALES);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toContain(QUALIFIED_AT);
    fs.writeFileSync(file, text.replace(QUALIFIED_AT, ''));

    const [program, ...args] = readJson(inRoot('package.json')).scripts.contracts.split(' ');
    expect(program).toBe('node');
    const { status, stderr } = spawnSync(process.execPath, [...args, 'check'], { cwd: copy, encoding: 'utf8' });
    expect(stderr).toMatch(/sale\.completed, field "qualifiedAt": it was removed \[field-removed\]/);
    expect(status).toBe(1);
  });
});
