import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own that a test can fill or break. */
export interface SmallDisk {
  readonly folder: string
  /** Leaves no free byte. */
  fill(): Promise<void>
  /** Removes what `fill` has written. */
  free(): Promise<void>
  /** Makes it read-only although files are open, as the kernel does after an error of the device. */
  break(): void
  /** Repairs it, like an operator. No process may use it. */
  repair(): void
  remove(): Promise<void>
}

/** Explains why no disk can be mounted here, or returns null. */
export function diskAbsence(): string | null {
  if (process.platform !== 'linux') return 'only Linux mounts a file as a disk'
  if (process.getuid?.() !== 0) return 'only root mounts a disk'
  try {
    execFileSync('losetup', ['--find'], { stdio: 'ignore' })
    execFileSync('mkfs.ext4', ['-V'], { stdio: 'ignore' })
    return null
  } catch {
    return 'this machine has no loop device or no mkfs.ext4'
  }
}

/** Mounts a file as a disk with ext4. */
export async function mountDisk(megabytes: number): Promise<SmallDisk> {
  const base = await mkdtemp(join(tmpdir(), 'parley-disk-'))
  const image = join(base, 'image')
  const folder = join(base, 'mounted')
  const ballast = join(folder, 'ballast')
  const run = (...[name = '', ...args]: string[]) => execFileSync(name, args, { stdio: 'ignore' })
  run('truncate', `--size=${megabytes}M`, image)
  run('mkfs.ext4', '-q', '-m', '0', image)
  run('mkdir', folder)
  run('mount', '-o', 'loop', image, folder)
  await chmod(base, 0o755)
  return {
    folder,
    async fill() {
      await using file = await open(ballast, 'w')
      // In ever smaller pieces, until not even the smallest fits.
      for (let bytes = 2 ** 20; bytes >= 1; bytes /= 2)
        while (await file.write(Buffer.alloc(bytes)).then(() => true, isFull));
    },
    free: () => rm(ballast, { force: true }),
    break: () => run('mount', '-o', 'remount,abort', folder),
    repair() {
      run('umount', folder)
      const { status } = spawnSync('fsck.ext4', ['-p', '-f', image])
      // 1: it has corrected errors.
      if (status !== 0 && status !== 1) throw new Error(`fsck.ext4 ended with ${status}`)
      run('mount', '-o', 'loop', image, folder)
    },
    async remove() {
      // A test that failed may have left a process.
      run('umount', '--lazy', folder)
      await rm(base, { recursive: true })
    },
  }
}

function isFull(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false
  throw error
}
