import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Results } from './results.ts'

export async function writeResults(folder: string, results: Results): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
}
