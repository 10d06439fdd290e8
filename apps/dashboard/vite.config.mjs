import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

const api = process.env['GOVERNANCE_API'];

/**
 * Builds the page into `dist/dashboard`. All addresses in it are relative, so that one build works below any path
 * prefix. `GOVERNANCE_API=http://127.0.0.1:3000 npm run dev:dashboard` serves the page from its source, with the API of
 * a running app.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [tailwindcss()],
  // The API client is imported from its source, as in the rest of the repository.
  resolve: { conditions: ['@nest-llm-governance/source', 'module', 'browser', 'import', 'default'] },
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy allows neither inline files nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // A test checks the compressed size of the files that the first visit loads.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Warnings about 'use client' in the widget library are ignored, because it has no effect here.
      onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: api === undefined ? {} : { '/v1': api, '/session': api },
  },
});
