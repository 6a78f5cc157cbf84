import { duration, integer, optionalText, variable } from './variable.ts'

/** Backups that the service creates. */
export const backupVariables = {
  BACKUP_EVERY: variable(
    duration.optional(),
    'Pause between two backups that the service creates in `BACKUP_DIR`, in minutes, hours or days: `30m`, `6h`, `1d`. If unset, it creates none.',
  ),
  BACKUP_KEEP: variable(
    integer(1, 100_000),
    'How many backups are kept in `BACKUP_DIR`; the oldest are deleted.',
    { fallback: '7' },
  ),
  BACKUP_DIR: variable(
    optionalText,
    'Folder of the backups that the service creates. Processes on several machines need a folder that they share. Default: `backups` in `DATA_DIR`.',
  ),
} as const
