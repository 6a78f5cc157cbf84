import { setPriority } from 'node:os'
import { backUpIntoPlace, type BackupConfig } from './backup-folder.ts'
import type { CreatedBackup } from './backups.ts'

/** The first message to this process. The address of a database is secret, so it is no argument. */
export interface BackupRequest {
  readonly config: BackupConfig
  readonly now: number
}

export type BackupReply = { readonly created: CreatedBackup } | { readonly problem: string }

/** Requests are more urgent than a backup. */
const priority = 10

async function reply({ config, now }: BackupRequest): Promise<BackupReply> {
  try {
    return { created: await backUpIntoPlace(config, now) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

setPriority(priority)
// The service has ended.
process.on('disconnect', () => process.exit(1))
process.once('message', (request: BackupRequest) => {
  void reply(request).then((answer) => process.send?.(answer, () => process.exit(0)))
})
