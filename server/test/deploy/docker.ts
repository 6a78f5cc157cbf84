import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '#test/support/until.ts'
import { run } from './tools.ts'

/**
 * A Docker daemon with a folder and a socket of its own: no test touches the machine's images,
 * containers and volumes.
 */
export class Docker {
  /** For programs that use this daemon. */
  readonly environment: Readonly<Record<string, string>>
  private readonly folder: string
  private readonly child: ChildProcess

  private constructor(folder: string, child: ChildProcess) {
    this.folder = folder
    this.child = child
    this.environment = { DOCKER_HOST: `unix://${folder}/socket` }
  }

  /** @param gateway what `host-gateway` means, because there is no default bridge */
  static async start(gateway: string): Promise<Docker> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-docker-'))
    const child = spawn(
      'dockerd',
      [
        `--data-root=${folder}/data`,
        `--exec-root=${folder}/exec`,
        `--pidfile=${folder}/pid`,
        `--host=unix://${folder}/socket`,
        '--bridge=none',
        `--host-gateway-ip=${gateway}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let log = ''
    child.stderr?.on('data', (piece: Buffer) => (log = (log + piece.toString()).slice(-10_000)))
    const docker = new Docker(folder, child)
    await until('Docker answers', async () => {
      if (child.exitCode !== null) throw new Error(`dockerd ended: ${log}`)
      return docker.run('info').then(
        () => true,
        () => false,
      )
    })
    return docker
  }

  async run(...args: readonly string[]): Promise<string> {
    return await run('docker', args, this.environment)
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
    await rm(this.folder, { recursive: true, force: true })
  }
}
