import { isJsonContent } from './content-type.rules';

describe('isJsonContent', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, true],
    ['application/json', true],
    ['Application/JSON ; charset=utf-8', true],
    ['application/cloudevents+json', true],
    ['application/jsonp', false],
    ['text/json', false],
    ['text/plain; application/json', false],
    ['', false],
  ])('returns, for %j, %s', (contentType, is) => {
    expect(isJsonContent(contentType)).toBe(is);
  });
});
