// Builds the console into files that the service serves (src/http/pages/console.ts), and serves it to its developers.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The service to which a developer's requests go. Page and API have one origin, so cookies behave as in production.
const SERVICE = process.env['SERVICE'] ?? 'http://127.0.0.1:3000';
const API = [
  '/admin-service',
  '/auth-service',
  '/api',
  '/users',
  '/protocols',
  '/admin/queues',
  '/profiles',
  '/institutions',
  '/specialties',
];

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // The service replaces this text in the HTML of each response by a nonce.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The oldest browsers that CONTRIBUTING.md names. Functions that one of them lacks: test/console/newer-names.ts.
    target: ['safari16.4', 'chrome111', 'firefox114'],
    // A file as text in the HTML or the style would need an exception of the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // scripts/console-files.mjs bounds what the first page loads.
    chunkSizeWarningLimit: 1_000,
  },
  server: {
    proxy: Object.fromEntries([...API, '/docs', '/openapi.json', '^/$'].map((path) => [path, SERVICE])),
  },
});
