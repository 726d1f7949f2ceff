(() => {
  let wanted;
  try {
    wanted = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    wanted = null;
  }
  const dark = wanted === 'dark' || (wanted !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
