import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '#config'
import type { Finding } from './doctor-finding.ts'

const minFreeBytes = 200_000_000

export async function checkDataDir({ dataDir, databaseUrl }: Config): Promise<readonly Finding[]> {
  const check = 'data folder'
  if (databaseUrl !== undefined) return [{ check, ok: true, note: 'not used with DATABASE_URL' }]
  const folder = nearestFolder(dataDir)
  const probe = join(folder, `.parley-${randomUUID()}`)
  try {
    await writeFile(probe, '')
    const isMade = folder === resolve(dataDir)
    return [{ check, ok: true, note: `${dataDir} ${isMade ? 'can be written' : 'will be made'}` }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const mend = 'let this user write there, or set DATA_DIR to another folder'
    return [{ check, ok: false, note: `${dataDir} cannot be written (${reason})`, mend }]
  } finally {
    await rm(probe, { force: true }).catch(ignoreMissing)
  }
}

export async function checkDisk({ dataDir, databaseUrl }: Config): Promise<readonly Finding[]> {
  const check = 'disk'
  if (databaseUrl !== undefined) return []
  const { bavail, bsize } = await statfs(nearestFolder(dataDir))
  const free = bavail * bsize
  const note = `${(free / 1e9).toFixed(1)} GB free`
  if (free >= minFreeBytes) return [{ check, ok: true, note }]
  return [{ check, ok: false, note, mend: 'make room, or set DATA_DIR to another disk' }]
}

/** The data folder, or what it would be made in. */
function nearestFolder(path: string): string {
  const absolute = resolve(path)
  return existsSync(absolute) ? absolute : nearestFolder(dirname(absolute))
}

/** Where a file stands in the folder's way there is no probe to remove either. */
function ignoreMissing(error: unknown): void {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOTDIR'
  if (!isMissing) throw error
}
