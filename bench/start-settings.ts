import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** What `npm start` runs, with the flags and the environment that it runs it with (package.json). */
export const main = join(root, 'server', 'src', 'main.ts')

export const startFlags = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=30',
  '--no-maglev',
] as const

export const startEnvironment = {
  MALLOC_ARENA_MAX: '1',
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'parley'),
} as const
