import { page } from '../src/html';

const CSS = /<style>([\s\S]*?)<\/style>/.exec(page('', ''))?.[1] ?? '';

/** Returns the colors of one scheme, by variable name. */
const colorsIn = (block: string): Record<string, string> =>
  Object.fromEntries([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));

const [light = '', dark = ''] = [...CSS.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => block as string);

/** Returns the relative luminance of a color, as WCAG 2.2 defines it. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Pairs of text and background colors. */
const TEXT: [string, string][] = [
  ['text', 'back'],
  ['text', 'raised'],
  ['muted', 'back'],
  ['muted', 'raised'],
  ['accent', 'back'],
  ['accent', 'raised'],
  ['good', 'good-back'],
  ['bad', 'bad-back'],
  ['button-text', 'button'],
];

describe.each([
  ['light', light],
  ['dark', dark],
])('the colors of the pages, %s', (_scheme, block) => {
  const colors = colorsIn(block);
  const of = (name: string): string => colors[name] ?? `no color ${name}`;

  it.each(TEXT)('give %s on %s at least the contrast that WCAG AA requires for text, 4.5', (text, back) => {
    expect(contrast(of(text), of(back))).toBeGreaterThanOrEqual(4.5);
  });

  it('give the edge of a field at least the contrast that WCAG AA requires for controls, 3', () => {
    expect(contrast(of('edge'), of('back'))).toBeGreaterThanOrEqual(3);
  });
});

describe('the style of the pages', () => {
  it('uses no transparency, and has colors only in variables that both schemes set', () => {
    const rest = CSS.replaceAll(/:root \{[^}]*\}/g, '');
    expect(rest.match(/#[0-9a-f]{3,8}\b|opacity|rgb|hsl/g)).toBeNull();
    expect(Object.keys(colorsIn(dark))).toEqual(Object.keys(colorsIn(light)));
  });

  it('breaks long ids instead of cutting them', () => {
    expect(CSS).toContain('overflow-wrap: anywhere');
    expect(CSS).not.toMatch(/nowrap|text-overflow|overflow-x/);
  });
});
