import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { lucideIcons } from './icons-plugin.ts'

const service = 'http://localhost:3000'

export default defineConfig({
  plugins: [react(), tailwindcss(), lucideIcons()],
  // Relative addresses: the service puts its own base path in front of them.
  base: './',
  build: {
    outDir: process.env.DASHBOARD_BUILD ?? 'dist',
    emptyOutDir: true,
    // The policy of the pages takes no data: but images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: 'manifest.json',
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev:dashboard` beside `npm start`: everything that is no page comes from the service.
    proxy: Object.fromEntries(
      ['/api', '/login', '/account', '/sign-out', '/signed-out', '/setup', '/acp', '/docs'].map(
        (path) => [path, service],
      ),
    ),
  },
})
