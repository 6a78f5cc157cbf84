import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** What `npm start` runs: it sets Node's flags and turns into the service, in the same process. */
export const startScript = join(root, 'tools', 'start.mjs')

/** The command line, for every other command. */
export const main = join(root, 'server', 'src', 'main.ts')
