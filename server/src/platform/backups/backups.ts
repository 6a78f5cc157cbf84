/** Backups of the database in a folder or a store of objects, named by when they were begun. */
export interface Backups {
  /** When the newest backup was begun, in epoch milliseconds; null if there is none. */
  newest(): Promise<number | null>
  /**
   * Creates and checks a backup in a process of its own, then deletes those beyond `BACKUP_KEEP`.
   *
   * @throws BackupError, or the signal's reason
   */
  create(now: number, signal: AbortSignal): Promise<CreatedBackup>
}

export interface CreatedBackup {
  /** A path, or an address such as `s3://bucket/folder/name`. */
  readonly file: string
  readonly bytes: number
  readonly schema: number
  /** Names of older backups that were deleted. */
  readonly deleted: readonly string[]
}
