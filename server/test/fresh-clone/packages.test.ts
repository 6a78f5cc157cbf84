import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

// A fresh clone has no development packages after `npm start`. Here they are installed, so a missing
// dependency would go unnoticed.
test.each([
  ['server', 'src/**/*.ts'],
  ['dashboard', '{src/**/*.{ts,tsx},*.ts}'],
])('%s imports only packages that it declares as dependencies', (workspace, pattern) => {
  const folder = join(root, workspace)
  const manifest: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  // snippets.ts contains example programs as strings.
  const imported = globSync(pattern, { cwd: folder })
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('snippets.ts'))
    .flatMap((file) => packagesIn(readFileSync(join(folder, file), 'utf8')))
  const missing = new Set(imported).difference(new Set(Object.keys(manifest.dependencies)))
  expect(imported.length).toBeGreaterThan(10)
  expect([...missing]).toEqual([])
})

/** The packages of all imports except types, which Node strips. */
function packagesIn(source: string): string[] {
  const imports = source.matchAll(
    /(?:^import (?!type\b)(?:[^'";]* from )?|^} from |\bimport\()'([^.#'][^']*)'/gm,
  )
  return [...imports]
    .map(([, name = '']) => name)
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
}
