import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installPrograms } from '#test/support/processes/install-packages.ts'
import { until } from '#test/support/until.ts'

/** Why npm has no Litestream for this machine; null if it has one. */
export function litestreamAbsence(): string | null {
  const platform = `${process.platform}-${process.arch}`
  return platform === 'linux-x64' ? null : `npm has no Litestream for ${platform}`
}

export interface Litestream {
  log(): string
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

interface Replicated {
  readonly database: string
  /** The folder that stands for another machine. */
  readonly replica: string
  readonly settings?: readonly string[]
}

async function binary(): Promise<string> {
  const packages = await installPrograms()
  const name = `litestream-${process.platform}-${process.arch}`
  return join(packages, '@flydotio', name, 'litestream')
}

/** Replicates a database until it is ended. Resolves when the replica has a snapshot. */
export async function startLitestream(replicated: Replicated): Promise<Litestream> {
  const { database, replica, settings = [] } = replicated
  const config = `${replica}.yml`
  const lines = [
    'dbs:',
    `  - path: ${database}`,
    ...settings.map((line) => `    ${line}`),
    '    replicas:',
    '      - type: file',
    `        path: ${replica}`,
  ]
  await writeFile(config, lines.join('\n'))
  const child = spawn(await binary(), ['replicate', '-config', config], { stdio: 'pipe' })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => (log += String(piece)))
  await until('Litestream has sent a snapshot', () => {
    if (child.exitCode !== null) throw new Error(`Litestream ended: ${log}`)
    return log.includes('snapshot written')
  })
  return {
    log: () => log,
    async end(signal) {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}

/** Creates the database `target` from the replica. */
export async function restoreFromReplica(replica: string, target: string): Promise<void> {
  await promisify(execFile)(await binary(), ['restore', '-o', target, `file://${replica}`])
}
