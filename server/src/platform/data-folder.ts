import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder that only its owner can read, and its missing parents. It creates them one by one,
 * because recursive mkdir never returns when a file system such as /proc refuses with ENOENT.
 *
 * @throws the system's error
 */
export function makeDataFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeDataFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process that starts at the same time may have created it.
    if (!existsSync(folder)) throw error
  }
}
