import { createTheme } from '@mantine/core';

/**
 * The theme. Mantine stores the user's choice of light or dark in `mantine-color-scheme-value`. public/color-scheme.js reads it before the
 * first paint, so that a page in dark colors does not flash white. That script has no comments, because it is part of the first load.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  fontFamily: '-apple-system, "Segoe UI", Roboto, "Open Sans", "Noto Sans", "Liberation Sans", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
  components: {
    // A number outside the range is refused, with an error at the field. By default, Mantine replaces it silently when the field loses focus.
    NumberInput: { defaultProps: { clampBehavior: 'none' } },
  },
});
