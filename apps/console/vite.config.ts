import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2022',
    // Stack traces of browsers name the lines of TypeScript.
    sourcemap: true,
    // Checked by the test of the bundle's size, in compressed bytes.
    chunkSizeWarningLimit: 1000,
  },
});
