import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

/** The base URL of a running stack, for `vite dev`: the console calls the APIs at its own origin. */
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
    // Makes stack traces of browsers show lines of the TypeScript source.
    sourcemap: true,
    // The test of the bundle size checks compressed bytes instead.
    chunkSizeWarningLimit: 1000,
  },
});
