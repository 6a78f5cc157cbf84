import { execFile } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Compiles the library that makes each flush take 10 ms longer.
 *
 * @returns the variables of a server with a slow disk, or a sentence if this machine cannot
 *   preload or compile it
 */
export async function slowDisk(): Promise<Readonly<Record<string, string>> | string> {
  if (process.platform !== 'linux')
    return 'disk was left out: a slow disk is simulated on Linux only'
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-disk-'))
  const library = join(folder, 'slow-disk.so')
  const source = join(import.meta.dirname, 'slow-disk.c')
  try {
    await run('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  } catch (error) {
    console.error(String(error))
    return 'disk was left out: there is no C compiler `cc`, or it failed'
  }
  // PostgreSQL may run as another user.
  await chmod(folder, 0o755)
  return { LD_PRELOAD: library, FLUSH_DELAY_MS: '10' }
}
