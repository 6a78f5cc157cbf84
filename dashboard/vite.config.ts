import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { chatFiles } from './chat-plugin.ts'
import { lucideIcons } from './icons-plugin.ts'
import { textsOnDemand } from './texts-plugin.ts'

/** All paths but the dashboard's pages and the sources that Vite serves. */
const servicePaths = String.raw`^/(?!$|\?|(?:home|agents|settings)(?:[/?]|$)|src/|node_modules/|@)`

export default defineConfig({
  plugins: [react(), tailwindcss(), lucideIcons(), textsOnDemand(), chatFiles()],
  // Relative URLs: the service adds its own base path.
  base: './',
  build: {
    outDir: process.env.DASHBOARD_BUILD ?? 'dist',
    emptyOutDir: true,
    // The pages' CSP allows data: URLs for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
  },
  server: {
    // tools/dev.mjs sets the address.
    proxy: { [servicePaths]: process.env.SERVICE_URL ?? 'http://127.0.0.1:3001' },
  },
})
