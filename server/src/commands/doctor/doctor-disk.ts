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
    await rm(probe)
    const exists = folder === resolve(dataDir)
    const state = exists ? 'can be written' : 'will be created'
    return [{ check, ok: true, note: `${dataDir} ${state}` }]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const fix = 'let this user write there, or set DATA_DIR to another folder'
    return [{ check, ok: false, note: `${dataDir} cannot be written (${reason})`, fix }]
  }
}

export async function checkDisk({ dataDir, databaseUrl }: Config): Promise<readonly Finding[]> {
  const check = 'disk'
  if (databaseUrl !== undefined) return []
  const { bavail, bsize } = await statfs(nearestFolder(dataDir))
  const free = bavail * bsize
  const note = `${(free / 1e9).toFixed(1)} GB free`
  if (free >= minFreeBytes) return [{ check, ok: true, note }]
  return [{ check, ok: false, note, fix: 'free some space, or set DATA_DIR to another disk' }]
}

/** The data folder, or the existing folder that it would be created in. */
function nearestFolder(path: string): string {
  const absolute = resolve(path)
  return existsSync(absolute) ? absolute : nearestFolder(dirname(absolute))
}
