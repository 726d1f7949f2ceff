import { ContractsCopy } from '@tandem/testing';

jest.setTimeout(240_000);

const SALES = 'src/events/sale.ts';
const MASKED_EMAIL = '  @IsString()\n  emailMasked!: string;\n';

describe('npm run contracts', () => {
  const copy = new ContractsCopy();
  afterEach(() => copy.undoEdits());
  afterAll(() => copy.remove());

  it('check exits with 0 for the present events', async () => {
    const { code, output } = await copy.contracts('check');
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d+ topics are compatible with/),
    });
  });

  it.each<[string, string, string]>([
    ['removed', '', 'sale.completed, field "emailMasked": it was removed [field-removed]'],
    [
      'renamed',
      MASKED_EMAIL.replace('emailMasked', 'buyerMasked'),
      'field "emailMasked": it was removed; "buyerMasked" looks like its new name [field-removed]',
    ],
    [
      're-typed',
      '  @ArrayMaxSize(1)\n  @IsArray()\n  emailMasked!: string[];\n',
      'field "emailMasked": its type was "string" and is now "array" [field-retyped]',
    ],
  ])(
    'check exits with 1 when a field of sale.completed was %s, and reports what to do [events.breaking-change]',
    async (_change, to, message) => {
      copy.edit(SALES, MASKED_EMAIL, to);
      const { code, output } = await copy.contracts('check');
      expect(output).toContain(message);
      expect(output).toContain('publish sale.completed.v2 alongside it');
      expect(code).toBe(1);
    },
  );

  it('check exits with 1, and release records nothing, when a topic was renamed', async () => {
    copy.edit(SALES, "topic: 'sale.revoked'", "topic: 'sale.withdrawn'");
    const refused = { code: 1, output: expect.stringContaining('sale.revoked: the topic was removed [topic-removed]') };
    expect(await copy.contracts('check')).toMatchObject(refused);
    copy.edit('package.json', '"version": "', '"version": "99.');
    expect(await copy.contracts('release')).toMatchObject(refused);
    copy.undoEdits();
    expect(await copy.contracts('check')).toMatchObject({ code: 0 });
  });

  it('check exits with 0 for an added optional field, and release records this field with a new version [events.free-change]', async () => {
    copy.edit(SALES, '  IsObject,\n', '  IsObject,\n  IsOptional,\n');
    copy.edit(SALES, MASKED_EMAIL, `${MASKED_EMAIL}\n  @IsOptional()\n  @IsString()\n  note?: string;\n`);
    expect(await copy.contracts('check')).toMatchObject({ code: 0 });
    const refused = { code: 1, output: expect.stringContaining('raise the version') };
    expect(await copy.contracts('release')).toMatchObject(refused);

    copy.edit('package.json', '"version": "', '"version": "99.');
    const recorded = { code: 0, output: expect.stringContaining('released.json is 99.') };
    expect(await copy.contracts('release')).toMatchObject(recorded);
    copy.edit(SALES, '  note?: string;', '  remark?: string;');
    expect(await copy.contracts('check')).toMatchObject({
      code: 1,
      output: expect.stringContaining('field "note": it was removed; "remark" looks like its new name'),
    });
  });
});
