import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import type { SmallDisk } from '#test/support/databases/small-disk.ts'

/** A database whose tables are on the disk. PostgreSQL ends when its log cannot be written. */
export async function databaseOnDisk(disk: SmallDisk, url: string): Promise<string> {
  const folder = join(disk.folder, 'tables')
  await mkdir(folder)
  await chown(folder, 65_534, 65_534) // The user `nobody`, as which the server runs.
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`create tablespace small location '${folder}'`)
  await client.query('create database small tablespace small')
  await client.end()
  return url.replace(/\/postgres$/, '/small')
}
