import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const folder = fileURLToPath(new URL('chat', import.meta.url))

/** The scripts that visitors load, each complete in one classic file. */
const entries = ['page', 'widget', 'captcha'] as const

/**
 * Adds the chat page's files to the build, as `chat/…`. They have no modules: the page has an opaque
 * origin, from which a browser would load modules only with CORS.
 */
export function chatFiles(): Plugin {
  return {
    name: 'chat-files',
    apply: 'build',
    async generateBundle() {
      for (const entry of entries)
        for (const { fileName, source } of await bundle(entry))
          this.emitFile({ type: 'asset', fileName: `chat/${fileName}`, source })
    },
  }
}

async function bundle(entry: string): Promise<{ fileName: string; source: string | Uint8Array }[]> {
  const built = await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    build: {
      write: false,
      reportCompressedSize: false,
      lib: {
        entry: `${folder}/${entry}.ts`,
        formats: ['iife'],
        name: 'parley',
        fileName: () => `${entry}.js`,
        cssFileName: entry,
      },
    },
  })
  const outputs = Array.isArray(built) ? built : 'output' in built ? [built] : []
  return outputs.flatMap(({ output }) =>
    output.map((file) => ({
      fileName: file.fileName,
      source: file.type === 'chunk' ? file.code : file.source,
    })),
  )
}
