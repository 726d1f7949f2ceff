import { IsInt, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { InputValidationError } from './input-validation.errors';
import { readDto } from './read-dto';

class Inner {
  @IsInt()
  value!: number;
}

class Sample {
  @IsOptional()
  @IsInt()
  count?: number;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  inner?: Inner;
}

const pathsOf = (value: unknown): string[] => {
  try {
    readDto(Sample, value);
    return [];
  } catch (error) {
    if (error instanceof InputValidationError) return error.fields.map(({ field }) => field);
    throw error;
  }
};

describe('readDto', () => {
  it('names the invalid fields of a nested object, or only the field itself if its value is not an object', () => {
    expect(pathsOf({ count: 'x', inner: { value: 'x' } })).toEqual(['count', 'inner.value']);
    for (const inner of ['1', 5, [], true]) expect(pathsOf({ inner })).toEqual(['inner']);
  });

  it('names the body when it is not an object', () => {
    for (const body of [undefined, null, 'text', 5, []]) expect(pathsOf(body)).toEqual(['body']);
  });

  it('accepts valid fields, treats null like a missing field, and ignores unknown fields', () => {
    expect(readDto(Sample, { count: null, other: 1 })).toEqual({});
    expect(readDto(Sample, { inner: { value: 1, other: 2 }, toString: 1 })).toEqual({ inner: { value: 1 } });
  });
});
