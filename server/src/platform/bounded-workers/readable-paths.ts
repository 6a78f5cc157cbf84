import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

const checkout = join(import.meta.dirname, '../../../..')

/**
 * The paths that a worker may read: Parley's code and its packages, but never the data folder, even
 * if it is inside one of them.
 */
export function readablePaths(dataDir: string): readonly string[] {
  const secret = [resolve(dataDir), realPathOf(dataDir)]
  const code = ['server/src', 'server/package.json'].map((name) => join(checkout, name))
  return [...code, ...packagesIn(join(checkout, 'node_modules'))].flatMap((path) =>
    withoutFolders(path, secret),
  )
}

/** Node follows links out of the allowed paths, so the links to Parley's own folders are left out. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== '.bin')
    .flatMap(({ name }) => {
      const path = join(folder, name)
      return name.startsWith('@') ? packagesIn(path) : [path]
    })
}

/** The path, or those of its entries that lead to none of these folders. */
function withoutFolders(path: string, folders: readonly string[]): string[] {
  if (folders.includes(path)) return []
  if (!folders.some((folder) => folder.startsWith(path + sep))) return [path]
  if (!lstatSync(path).isDirectory()) return []
  return readdirSync(path).flatMap((name) => withoutFolders(join(path, name), folders))
}

/** The folder may not exist yet: with PostgreSQL it never does. */
function realPathOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return resolve(folder)
  }
}
