import { defineConfig } from 'vite'

// The viewer of self-contained pages: one classic script and one style sheet, which Python embeds in the pages it writes.
export default defineConfig({
  build: {
    outDir: '../mocapella/studio/static',
    emptyOutDir: false,
    target: 'es2022',
    cssCodeSplit: false,
    copyPublicDir: false,
    lib: {
      entry: 'src/viewer/main.tsx',
      formats: ['iife'],
      name: 'mocapellaViewer',
      fileName: () => 'viewer.js',
      cssFileName: 'viewer',
    },
  },
  define: { 'process.env.NODE_ENV': '"production"' },
})
