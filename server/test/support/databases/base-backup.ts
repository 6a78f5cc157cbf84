import { execFile } from 'node:child_process'
import { chmod, chown, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'

const run = promisify(execFile)

/** What a standby needs of its primary. */
export interface Primary {
  readonly url: string
  /** Its data folder. */
  readonly data: string
}

/**
 * Copies the data of a running server into `data`, as `pg_basebackup` does, which the packages of npm
 * do not contain (https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP).
 * A server that starts on the copy is a standby.
 */
export async function copyAsStandby(primary: Primary, data: string): Promise<void> {
  const client = new Client({ connectionString: primary.url })
  await client.connect()
  let label = ''
  try {
    await client.query("select pg_backup_start('standby', true)")
    // It keeps the owner, who is not the one of this process.
    await run('cp', ['-a', `${primary.data}/.`, data])
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(false)',
    )
    label = rows[0]?.labelfile ?? ''
  } finally {
    await client.end()
  }
  await rm(join(data, 'postmaster.pid'), { force: true })
  await removeLog(join(data, 'pg_wal'))
  const { uid, gid } = await stat(primary.data)
  for (const [name, content] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
    await writeFile(join(data, name), content)
    await chown(join(data, name), uid, gid)
  }
  await chmod(data, 0o700)
}

/** The standby receives the write-ahead log from the primary; a copied part may be torn. */
async function removeLog(folder: string): Promise<void> {
  const segments = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name))
  await Promise.all(segments.map((name) => rm(join(folder, name))))
}

/** The settings with which a standby follows its primary. */
export function standbySettings({ url }: Primary): readonly string[] {
  const { hostname, port, username } = new URL(url)
  return [
    'hot_standby=on',
    `primary_conninfo=host=${hostname} port=${port} user=${username} application_name=standby`,
  ]
}
