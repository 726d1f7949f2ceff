const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an element's content or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** Returns an element that shows a time in UTC. @param iso ISO 8601, in UTC */
export const timeElement = (iso: string): string =>
  `<time datetime="${escapeHtml(iso)}">${escapeHtml(iso.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC'))}</time>`;

/**
 * Returns a text with the number of further requests for which a configured failure lasts; an empty text when the
 * failure has no end.
 */
export function timesLeft(times: number | null): string {
  if (times === null) return '';
  return times === 1 ? ', once more' : `, ${times} more times`;
}

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3b5bdb"/><circle cx="11.5" cy="19" r="5.5" fill="none" stroke="#fff" stroke-width="2.6"/><circle cx="20.5" cy="19" r="5.5" fill="none" stroke="#fff" stroke-width="2.6"/><path d="M8 8h16" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>';

const STYLE = `
  :root { color-scheme: light dark; --back: #ffffff; --raised: #f3f5f8; --text: #1b1f24; --muted: #57606a; --edge: #6e7781;
    --accent: #1d4ed8; --good: #116329; --good-back: #dafbe1; --bad: #a40e26; --bad-back: #ffebe9; --button: #1d4ed8; --button-text: #ffffff; }
  @media (prefers-color-scheme: dark) {
    :root { --back: #0d1117; --raised: #161b22; --text: #e6edf3; --muted: #9da7b3; --edge: #768390;
    --accent: #79b8ff; --good: #7ee787; --good-back: #12261e; --bad: #ff9b94; --bad-back: #2d1416; --button: #1f5fd0; --button-text: #ffffff; }
  }
  * { box-sizing: border-box; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1.25rem; background: var(--back); color: var(--text); overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; margin: 0 0 .25rem; } .muted { color: var(--muted); margin: 0; }
  .card { border: 1px solid var(--edge); border-radius: 12px; padding: 1rem 1.25rem; margin: 1.25rem 0; }
  .row { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: .25rem 1rem; padding: .35rem 0; }
  .row + .row { border-top: 1px solid var(--edge); } .row.total { font-weight: 650; font-size: 1.15rem; }
  .amount { flex: none; margin-left: auto; }
  .tag { display: inline-block; border-radius: 99px; padding: .1rem .65rem; background: var(--good-back); color: var(--good); font-size: .85rem; }
  .tag.bad, .warning { background: var(--bad-back); color: var(--bad); }
  label { display: block; margin: .75rem 0 .25rem; font-weight: 550; } fieldset { border: 0; margin: .75rem 0 0; padding: 0; } legend { float: left; width: 100%; font-weight: 550; padding: 0; } legend + * { clear: both; }
  fieldset label { font-weight: 400; margin: .25rem 0; } fieldset input { width: auto; margin-right: .5rem; } .summary { display: none; }
  input, select { width: 100%; font: inherit; padding: .55rem .7rem; border: 1px solid var(--edge); border-radius: 8px; background: var(--back); color: var(--text); }
  button { font: inherit; font-weight: 600; margin-top: 1.25rem; padding: .7rem 1.4rem; border: 1px solid var(--button); border-radius: 8px; background: var(--button); color: var(--button-text); cursor: pointer; }
  button.quiet { background: var(--back); color: var(--muted); border-color: var(--edge); font-weight: 400; padding: .3rem .8rem; margin: .75rem 0 0; }
  button + .muted { margin-top: 1rem; } h2 { font-size: 1.1rem; margin: 0; } .card > h2 { margin-bottom: .25rem; }
  .choices { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem; } .choices button { margin: 0; }
  a { color: var(--accent); } code, pre { font: 13px/1.5 ui-monospace, monospace; }
  pre { white-space: pre-wrap; background: var(--raised); border-radius: 8px; padding: .75rem 1rem; margin: .5rem 0 0; }
  table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; margin-top: .5rem; }
  th, td { padding: .15rem .75rem .15rem 0; vertical-align: top; text-align: left; font-weight: 400; } th { color: var(--muted); }
  tr.key > * { color: var(--text); font-weight: 650; }
  @media (max-width: 30rem) { th, td { display: block; padding: 0; } th { padding-top: .35rem; } }`;

/** Returns a complete page. `body` and `head` (additions to the page's head) must be HTML. */
export const page = (title: string, body: string, head = ''): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}"><style>${STYLE}</style>${head}</head>
<body><main>${body}</main></body>
</html>
`;
