import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export interface DocumentationFile {
  /** `sessions.md` */
  readonly name: string
  readonly path: string
}

/** Parley's own documentation, for searching. */
export interface Documentation {
  pages(): Promise<readonly DocumentationText[]>
}

export interface DocumentationText {
  /** `sessions.md` */
  readonly name: string
  /** Markdown. */
  readonly text: string
}

export function createDocumentation(): Documentation {
  return {
    pages: () =>
      Promise.all(
        documentationFiles().map(async ({ name, path }) => ({
          name,
          text: await readFile(path, 'utf8'),
        })),
      ),
  }
}

/** The README and the pages of `docs/`, without the decisions. */
export function documentationFiles(): readonly DocumentationFile[] {
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  return [
    { name: 'README.md', path: join(root, 'README.md') },
    ...pages.sort().map((name) => ({ name, path: join(root, 'docs', name) })),
  ]
}

/** The images that the pages show. */
export function documentationImages(): readonly DocumentationFile[] {
  const names = readdirSync(join(root, 'docs/images')).filter((name) => name.endsWith('.png'))
  return names.map((name) => ({ name: `images/${name}`, path: join(root, 'docs/images', name) }))
}

/** The version in the server's `package.json`. */
export function parleyVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return known ? String(manifest.version) : 'unknown'
}
