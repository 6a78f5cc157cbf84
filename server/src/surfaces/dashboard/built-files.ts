import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { parseAccept } from 'hono/utils/accept'

export interface BuiltFile {
  readonly type: string
  readonly etag: string
  /** Content-Encoding to file, in order of preference; `identity` is always present. */
  readonly encodings: ReadonlyMap<Encoding, string>
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** The output of `npm run build:dashboard`. */
export interface Build {
  /** Changes with each build. */
  readonly stamp: string
  readonly index: string
  readonly files: ReadonlyMap<string, BuiltFile>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

const suffixes: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

/** Reads the dashboard's build at the first request and after each build; null if there is none. */
export function createBuiltFiles(folder: string): () => Promise<Build | null> {
  let known: Build | null = null
  return async () => {
    const stamp = await stampOf(folder)
    if (stamp === null) return null
    if (known?.stamp !== stamp) known = await readBuild(folder, stamp)
    return known
  }
}

async function stampOf(folder: string): Promise<string | null> {
  try {
    const { mtimeMs, size } = await stat(join(folder, 'index.html'))
    return `${mtimeMs} ${size}`
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function readBuild(folder: string, stamp: string): Promise<Build> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  )
  const files = new Map<string, BuiltFile>()
  for (const path of paths) {
    const type = types[extname(path)]
    if (type !== undefined) files.set(path, await readBuiltFile(folder, paths, path, type))
  }
  return { stamp, index: await readFile(join(folder, 'index.html'), 'utf8'), files }
}

async function readBuiltFile(
  folder: string,
  paths: ReadonlySet<string>,
  path: string,
  type: string,
): Promise<BuiltFile> {
  const made = suffixes.filter(([, suffix]) => paths.has(path + suffix))
  const encodings = new Map<Encoding, string>(
    made.map(([encoding, suffix]) => [encoding, join(folder, path + suffix)]),
  )
  encodings.set('identity', join(folder, path))
  return { type, etag: etagOf(await readFile(join(folder, path))), encodings }
}

/** RFC 9110 §8.8.3; weak, because it is the same for each encoding. */
export function etagOf(content: string | Uint8Array): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
}

/** The best encoding that the client accepts (RFC 9110 §12.5.3); `q=0` refuses one. */
export function chooseEncoding(file: BuiltFile, accepted: string | undefined): Encoding {
  const taken = parseAccept(accepted ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase())
  for (const encoding of file.encodings.keys())
    if (encoding === 'identity' || taken.includes(encoding)) return encoding
  return 'identity'
}
