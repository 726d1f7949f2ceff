import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { mutationsOf } from '@tandem/testing';
import { plainToInstance, Type } from 'class-transformer';
import { IsString, Matches, ValidateNested, validateSync } from 'class-validator';
import { compileClass, type EventDefinition, PAYMENT_RECEIVED, SALE_REVOKED, validatorOf } from '../src';
import { eventOfSample } from './event-of-sample';

const folder = path.join(__dirname, '../samples');
const files = readdirSync(folder).filter((file) => file !== 'checksums.json');
const sampleOf = (file: string): object => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as object;

/** Removes fields named like a property that every object inherits: class-transformer ignores them or fails on them. */
const withoutInheritedNames = (json: string): object =>
  JSON.parse(json, (key, value: unknown) => (key in {} ? undefined : value)) as object;

const classAccepts = (event: EventDefinition<object>, data: object): boolean =>
  validateSync(plainToInstance(event.data, data), { forbidUnknownValues: true }).length === 0;

describe('the compiled validators', () => {
  it.each(files)('agree with class-validator on %s and its mutations', (file) => {
    const event = eventOfSample(file);
    const validate = validatorOf(event);
    expect(validate(sampleOf(file))).toBeNull();
    const verdicts = { accepted: 0, refused: 0 };
    for (const { name, json } of mutationsOf(sampleOf(file))) {
      const accepted = validate(JSON.parse(json)) === null;
      verdicts[accepted ? 'accepted' : 'refused']++;
      expect({ name, accepted }).toEqual({ name, accepted: classAccepts(event, withoutInheritedNames(json)) });
    }
    // The comparison means little if nearly all mutations were accepted, or nearly all were refused.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(50);
  });

  it('are compiled only once for each event', () => {
    expect(validatorOf(SALE_REVOKED)).toBe(validatorOf(SALE_REVOKED));
  });

  it('name up to ten invalid fields and the broken rules, but no value', () => {
    const items = Array.from({ length: 20 }, () => ({ price: 'secret' }));
    const purchase = { currency: 'secret', amount: 'secret', paymentStatus: 'secret', firstPayment: 'secret', items };
    const faults = validatorOf(PAYMENT_RECEIVED)({ type: 'subscription.purchased', purchase });
    expect(faults).toHaveLength(10);
    expect(faults).toEqual(expect.arrayContaining(['purchase.items.0.price (pattern)', 'paymentId (required)']));
    expect(JSON.stringify(faults)).not.toContain('secret');
  });

  it.each([null, undefined, 'text', 5, [], [{}]])('refuse %j as data', (data) => {
    expect(validatorOf(SALE_REVOKED)(data)).not.toBeNull();
  });
});

describe('compileClass refuses a class that', () => {
  const sameName = (): new () => object => {
    class Inner {
      @IsString()
      text!: string;
    }
    return Inner;
  };

  it('has a pattern with flags', () => {
    class WithFlags {
      @Matches(/a/i)
      text!: string;
    }
    expect(() => compileClass(WithFlags)).toThrow('cannot have flags');
  });

  it('has two nested classes of the same name', () => {
    const [One, Other] = [sameName(), sameName()];
    class Outer {
      @ValidateNested()
      @Type(() => One)
      one!: object;

      @ValidateNested()
      @Type(() => Other)
      other!: object;
    }
    expect(() => compileClass(Outer)).toThrow('two nested classes are called Inner');
  });

  it('has no rules', () => {
    class Empty {}
    expect(() => compileClass(Empty)).toThrow('Empty has no validators');
  });
});
