import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that only its owner reads, and those above it that are missing. One at a time: the
 * recursive form of mkdir never returns where a file system such as /proc refuses with ENOENT.
 *
 * @throws what the system reports
 */
export function makeDataFolder(folder: string): void {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeDataFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process that starts at the same time may have been quicker.
    if (!existsSync(folder)) throw error
  }
}
