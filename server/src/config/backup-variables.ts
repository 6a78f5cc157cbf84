import { z } from 'zod'
import { placePattern } from '#platform/object-store/object-store.ts'
import { duration, httpUrl, integer, optionalText, text, variable } from './variable.ts'

/** Backups that the service creates, and the store of objects for them and for files. */
export const backupVariables = {
  BACKUP_EVERY: variable(
    duration.optional(),
    'Pause between two backups that the service creates, in minutes, hours or days: `30m`, `6h`, `1d`. If unset, it creates none.',
  ),
  BACKUP_KEEP: variable(integer(1, 100_000), 'How many backups are kept; the oldest are deleted.', {
    fallback: '7',
  }),
  BACKUP_DIR: variable(
    optionalText,
    'Folder of the backups that the service creates. Processes on several machines need a folder that they share. Default: `backups` in `DATA_DIR`. With `BACKUP_TO`, a backup is in this folder only until it is uploaded.',
  ),
  BACKUP_TO: variable(
    z.string().regex(placePattern, 'must be an address such as s3://bucket/folder').optional(),
    'Bucket and folder of an S3-compatible store for the backups that the service creates, instead of `BACKUP_DIR`: `s3://bucket/folder`. Requires `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`.',
  ),
  FILES_TO: variable(
    z.string().regex(placePattern, 'must be an address such as s3://bucket/folder').optional(),
    'Bucket and folder of an S3-compatible store for the bytes of knowledge files: `s3://bucket/folder`. If unset, they are in the database. After a change, the service moves the files that it has. Requires `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`, also until all files are back in the database.',
  ),
  MOVED_FILE_DAYS: variable(
    integer(0, 36_500),
    'How many days the object of a file is kept in its old place after `FILES_TO` was changed, for backups from before. If the file is deleted, it goes with it.',
    { fallback: '30' },
  ),
  S3_ENDPOINT: variable(
    httpUrl.optional(),
    'Address of the S3-compatible store, such as `https://storage.example.com`. Default: that of Amazon S3 in `S3_REGION`.',
  ),
  S3_REGION: variable(text, 'Region of the S3-compatible store.', { fallback: 'us-east-1' }),
  S3_ACCESS_KEY_ID: variable(
    optionalText,
    'Id of the access key for the S3-compatible store. The key must be allowed to list, read, write and delete objects of the bucket.',
  ),
  S3_SECRET_ACCESS_KEY: variable(
    optionalText,
    'Secret of the access key for the S3-compatible store.',
    { secret: true },
  ),
  S3_TIMEOUT_SECONDS: variable(
    integer(1, 3600),
    'How long the S3-compatible store may take to answer one request, which uploads up to 16 MiB.',
    { fallback: '300' },
  ),
} as const

/** @param values of the variables, by field */
export function backupProblems(values: Readonly<Record<string, unknown>>): string[] {
  const hasKey = values.s3AccessKeyId !== undefined && values.s3SecretAccessKey !== undefined
  const needing = [
    ...(values.backupTo === undefined ? [] : ['BACKUP_TO']),
    ...(values.filesTo === undefined ? [] : ['FILES_TO']),
  ]
  if (hasKey || needing.length === 0) return []
  return [`S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with ${needing.join(' and ')}`]
}
