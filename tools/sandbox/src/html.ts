const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text made safe for an element's content or a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

const STYLE = `
  :root { color-scheme: light dark; --line: #8884; --accent: #2457d6; --good: #18794e; --bad: #c6232c; }
  * { box-sizing: border-box; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1.25rem; }
  h1 { font-size: 1.6rem; margin: 0 0 .25rem; } .muted { opacity: .7; margin: 0; }
  .card { border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.5rem; margin: 1.25rem 0; }
  .row { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem 0; }
  .row + .row { border-top: 1px solid var(--line); } .row.total { font-weight: 650; font-size: 1.15rem; }
  .tag { border-radius: 99px; padding: .1rem .65rem; background: #18794e22; color: var(--good); font-size: .85rem; }
  .tag.bad { background: #c6232c22; color: var(--bad); }
  label { display: block; margin: .75rem 0 .25rem; font-weight: 550; }
  input, select { width: 100%; font: inherit; padding: .55rem .7rem; border: 1px solid var(--line); border-radius: 8px; background: transparent; color: inherit; }
  button { font: inherit; font-weight: 600; margin-top: 1.25rem; padding: .7rem 1.4rem; border: 0; border-radius: 8px; background: var(--accent); color: #fff; cursor: pointer; }
  a { color: var(--accent); } code, pre { font: 13px/1.5 ui-monospace, monospace; }
  pre { overflow-x: auto; background: #8881; border-radius: 8px; padding: .75rem 1rem; margin: .5rem 0 0; }
  table { border-collapse: collapse; width: 100%; font: 13px/1.5 ui-monospace, monospace; margin-top: .5rem; }
  td { padding: .15rem .75rem .15rem 0; vertical-align: top; word-break: break-all; } td:first-child { white-space: nowrap; opacity: .7; }
  tr.key td { opacity: 1; font-weight: 650; }`;

/** A whole page; `body` is HTML already. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body>${body}</body>
</html>
`;
