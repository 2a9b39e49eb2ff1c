import { defineConfig } from 'vite'

// Built into the Python package, which serves it; nothing is loaded from elsewhere, so every address is relative.
export default defineConfig({
  base: './',
  build: {
    outDir: '../mocapella/studio/static',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // data: addresses would need a wider Content-Security-Policy
    modulePreload: { polyfill: false }, // its inline form would, too
    chunkSizeWarningLimit: 1200,
  },
  server: {
    proxy: {
      '/ws': { target: 'ws://127.0.0.1:8765', ws: true },
      '/upload': 'http://127.0.0.1:8765',
      '/download': 'http://127.0.0.1:8765',
    },
  },
})
