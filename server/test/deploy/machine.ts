import { cp, mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '#test/support/until.ts'
import type { ImageStore } from './image.ts'
import { root, run } from './tools.ts'

/** Another run may use the same store. */
const name = `parley-test-machine-${process.pid}`

/** A Debian machine in a container: systemd is its first process, and `/src` has a checkout. */
export class Machine {
  /** The checkout, as this process sees it. */
  readonly checkout: string
  private readonly store: ImageStore

  private constructor(store: ImageStore, checkout: string) {
    this.store = store
    this.checkout = checkout
  }

  static async start(store: ImageStore): Promise<Machine> {
    const checkout = await copyOfCheckout()
    const npmrc = join(homedir(), '.npmrc')
    await store.podman([
      'run',
      '--detach',
      '--rm',
      '--privileged',
      '--systemd=always',
      '--ulimit=nofile=4096:4096',
      '--ulimit=nproc=4096:4096',
      // The packages are installed while it runs.
      '--network=host',
      `--name=${name}`,
      `--volume=${checkout}:/src`,
      ...(existsSync(npmrc) ? [`--volume=${npmrc}:/root/.npmrc:ro`] : []),
      'systemd',
    ])
    const machine = new Machine(store, checkout)
    await until('systemd has started', async () => {
      const state = await machine.shell('systemctl is-system-running || :').catch(() => '')
      return /^(?:running|degraded)$/m.test(state)
    })
    return machine
  }

  /** Runs a script in it. @returns stdout. @throws with stderr if the script fails */
  async shell(script: string): Promise<string> {
    return await this.store.podman(['exec', name, 'sh', '-c', script])
  }

  async remove(): Promise<void> {
    await this.store.podman(['rm', '--force', name])
    await rm(this.checkout, { recursive: true, force: true })
  }
}

/** With its packages, which are links, and the built dashboard, if there is one. */
async function copyOfCheckout(): Promise<string> {
  const checkout = await mkdtemp(join(tmpdir(), 'parley-checkout-'))
  await run('sh', ['-c', 'git ls-files -z | xargs -0 cp --parents -t "$0"', checkout])
  for (const packages of ['node_modules', 'server/node_modules', 'dashboard/node_modules'])
    if (existsSync(join(root, packages))) await copyPackages(packages, checkout)
  for (const built of ['dashboard/dist', '.cache/dashboard-build'])
    if (existsSync(join(root, built)))
      await cp(join(root, built), join(checkout, built), { recursive: true })
  return checkout
}

async function copyPackages(packages: string, checkout: string): Promise<void> {
  const [from, to] = [join(root, packages), join(checkout, packages)]
  // Links need the same file system.
  await run('cp', ['-al', from, to]).catch(async () => {
    await rm(to, { recursive: true, force: true })
    await run('cp', ['-a', from, to])
  })
}
