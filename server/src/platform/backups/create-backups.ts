import { fork } from 'node:child_process'
import { BackupError } from '#platform/db/sqlite/sqlite-backup.ts'
import { begunAt, deleteUnfinished, listBackups, type BackupConfig } from './backup-folder.ts'
import { backupFolder, backupPlace } from './backup-place.ts'
import type { BackupReply, BackupRequest } from './backup-process.ts'
import type { Backups, CreatedBackup } from './backups.ts'

const script = new URL('./backup-process.ts', import.meta.url)

/** Checking a backup reads all of it without a pause, so another process does it. */
export function createBackups(config: BackupConfig): Backups {
  return {
    async newest() {
      const name = (await listBackups(backupPlace(config))).at(-1)
      return name === undefined ? null : begunAt(name)
    },
    create: (now, signal) => runProcess(config, now, signal),
  }
}

async function runProcess(
  config: BackupConfig,
  now: number,
  signal: AbortSignal,
): Promise<CreatedBackup> {
  signal.throwIfAborted()
  const request: BackupRequest = { config: needed(config), now }
  const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop)
  let reply: BackupReply | null = null
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('message', (message: BackupReply) => (reply = message))
      child.on('error', reject)
      child.on('exit', () => resolve())
      child.send(request, (error) => error !== null && reject(error))
    })
  } finally {
    signal.removeEventListener('abort', stop)
    child.kill('SIGKILL')
    if (child.pid !== undefined) await deleteUnfinished(backupFolder(config), child.pid)
  }
  signal.throwIfAborted()
  return createdOf(reply)
}

/** The rest of the configuration may contain what cannot be sent to a process. */
function needed(config: BackupConfig): BackupConfig {
  const { databaseUrl, databasePoolSize, dataDir, backupDir, backupKeep, backupTo } = config
  const { backupBytesPerSecond, backupMaxLogBytes } = config
  const { s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, s3TimeoutSeconds } = config
  const database = { databaseUrl, databasePoolSize, dataDir }
  const backups = { backupDir, backupKeep, backupTo, backupBytesPerSecond, backupMaxLogBytes }
  const store = { s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, s3TimeoutSeconds }
  return { ...database, ...backups, ...store }
}

function createdOf(reply: BackupReply | null): CreatedBackup {
  if (reply === null) throw new BackupError('its process was killed')
  if ('problem' in reply) throw new BackupError(reply.problem)
  return reply.created
}
