import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2022',
    // Makes stack traces of browsers show lines of the TypeScript source.
    sourcemap: true,
    // The test of the bundle size checks compressed bytes instead.
    chunkSizeWarningLimit: 1000,
  },
});
