import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

/** The base URL of a running stack. The console calls the APIs at its own origin, so `vite dev` forwards these calls to this URL. */
const { EDGE_URL = 'http://127.0.0.1:8080' } = loadEnv('', '.', 'EDGE_');

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: { '^/(?!console(?:/|$))': EDGE_URL, '/console/config.json': EDGE_URL },
  },
  build: {
    target: 'es2022',
    // With source maps, stack traces in the browser show lines of the TypeScript source.
    sourcemap: true,
    // Vite warns about larger chunks, in kB. Its default is lower, but here a test limits the compressed size of the first load.
    chunkSizeWarningLimit: 1000,
  },
});
