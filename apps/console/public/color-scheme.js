// Runs before the first paint, so that a page in dark colors does not flash white. Mantine stores the user's choice in
// `mantine-color-scheme-value`.
(() => {
  let wanted = 'auto';
  try {
    wanted = localStorage.getItem('mantine-color-scheme-value') || 'auto';
  } catch {
    // Storage is disabled, so the scheme of the system is used.
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
