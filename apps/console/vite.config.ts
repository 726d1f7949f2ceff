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
    // Stack traces of browsers name the lines of TypeScript.
    sourcemap: true,
    // Checked by the test of the bundle's size, in compressed bytes.
    chunkSizeWarningLimit: 1000,
  },
});
