import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { parseAccept } from 'hono/utils/accept'
import { Fault } from '#kernel/fault.ts'
import { hasCached } from './cached.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'

interface BuiltFile {
  readonly type: string
  readonly etag: string
  /** Content-Encoding to file, in order of preference; `identity` is always present. */
  readonly encodings: ReadonlyMap<Encoding, string>
}

type Encoding = 'br' | 'gzip' | 'identity'

/** The output of `npm run build:dashboard`. */
interface Build {
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

export type FindBuild = () => Promise<Build | null>

/** Reads the dashboard's build at the first request and after each build; null if there is none. */
export function createBuiltFiles(folder: string): FindBuild {
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
function chooseEncoding(file: BuiltFile, accepted: string | undefined): Encoding {
  const taken = parseAccept(accepted ?? '')
    .filter(({ q }) => q > 0)
    .map(({ type }) => type.toLowerCase())
  for (const encoding of file.encodings.keys())
    if (encoding === 'identity' || taken.includes(encoding)) return encoding
  return 'identity'
}

/** A file of the build. The names of those under `assets/` contain a hash of their content. */
export async function answerFile(c: Http, find: FindBuild, path: string): Promise<Response> {
  const file = (await find())?.files.get(path)
  if (file === undefined) throw new Fault(requestFaults.unknown_path)
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Vary', 'Accept-Encoding')
  c.header('ETag', file.etag)
  c.header(
    'Cache-Control',
    path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
  )
  if (hasCached(c, file.etag)) return c.body(null, 304)
  const encoding = chooseEncoding(file, c.req.header('accept-encoding'))
  const body = await readFile(file.encodings.get(encoding) ?? '')
  if (encoding !== 'identity') c.header('Content-Encoding', encoding)
  return c.body(new Uint8Array(body), 200, { 'Content-Type': file.type })
}
