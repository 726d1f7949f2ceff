import { ArrayMaxSize, IsArray, IsOptional, Matches } from 'class-validator';
import { InputValidationError } from './input-validation.error';
import { readDto } from './read-dto';

class Sample {
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(3)
  @Matches(/^\d+$/, { each: true })
  ids?: string[];
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
  it('names the elements of a list that are wrong', () => {
    expect(pathsOf({ ids: ['1', 'x', '2'] })).toEqual(['ids[1]']);
    expect(pathsOf({ ids: [null, '1', {}] })).toEqual(['ids[0]', 'ids[2]']);
  });

  it('names the list when it is wrong as a whole, or none', () => {
    expect(pathsOf({ ids: ['1', '2', '3', '4'] })).toEqual(['ids']);
    for (const ids of ['1', 5, {}, true]) expect(pathsOf({ ids })).toEqual(['ids']);
  });

  it('takes what fits, with null for left out and without what it does not know', () => {
    expect(readDto(Sample, { ids: null, other: 1 })).toEqual({});
    expect(readDto(Sample, { ids: [], toString: 1 })).toEqual({ ids: [] });
  });
});
