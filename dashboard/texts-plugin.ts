import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const folder = fileURLToPath(new URL('src/texts/', import.meta.url))
const prefix = 'texts:'

/** What a module may use of a section: a path of its texts, such as 'publish.title'. */
const used = /['"`]([a-z][A-Za-z]*)\.[$A-Za-z]/g

/**
 * Loads the texts of a section (`texts/en/<section>.ts`) with the modules that use them, so that a page
 * loads no texts of other pages. Without this plugin, as in unit tests, all texts are there.
 */
export function textsOnDemand(): Plugin {
  const files = new Map(sections())
  return {
    name: 'texts-on-demand',
    enforce: 'pre',
    apply: 'build',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}.js` : null),
    load(id) {
      if (id === `${folder}en.ts`) return 'export const en = {}'
      if (!id.startsWith(`\0${prefix}`)) return null
      const name = id.slice(prefix.length + 1, -'.js'.length)
      const lines = [
        `import { en } from '${folder}en.ts'`,
        `import { ${name} } from '${folder}en/${files.get(name)}'`,
        `en.${name} = ${name}`,
      ]
      return { code: lines.join('\n'), moduleSideEffects: true }
    },
    transform(code, id) {
      if (!/\/dashboard\/src\/.*\.tsx?$/.test(id) || id.startsWith(folder)) return null
      const names = new Set([...code.matchAll(used)].map(([, name = '']) => name))
      const imports = [...names].filter((name) => files.has(name))
      if (imports.length === 0) return null
      // After the code, where they keep its lines: the browser runs imports first.
      return {
        code: `${code}\n${imports.map((name) => `import 'texts:${name}'`).join('\n')}`,
        map: null,
      }
    },
  }
}

/** The sections of the catalogue, each with its file. */
function sections(): [name: string, file: string][] {
  const catalogue = readFileSync(`${folder}en.ts`, 'utf8')
  return [...catalogue.matchAll(/import \{ (\w+) \} from '.\/en\/(\S+)'/g)].map(
    ([, name = '', file = '']) => [name, file],
  )
}
