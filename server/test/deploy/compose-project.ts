import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/support/free-port.ts'
import type { Docker } from './docker.ts'
import { compose, root, run } from './tools.ts'

/** deploy/compose.yaml in a copy of its folder, with ports of its own on loopback. */
export class ComposeProject {
  /** Where people reach it: Caddy's port for TLS. */
  readonly origin: string
  private readonly docker: Docker
  private readonly folder: string

  private constructor(docker: Docker, folder: string, port: number) {
    this.docker = docker
    this.folder = folder
    this.origin = `https://localhost:${port}`
  }

  static async create(
    docker: Docker,
    settings: Readonly<Record<string, string>>,
  ): Promise<ComposeProject> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-compose-'))
    await mkdir(join(folder, 'deploy'))
    for (const file of ['Caddyfile', 'back-up.sh'])
      await cp(join(root, 'deploy', file), join(folder, 'deploy', file))
    const port = await freePort()
    const own = await readFile(join(root, 'deploy/compose.yaml'), 'utf8')
    const ports = `['127.0.0.1:${await freePort()}:80', '127.0.0.1:${port}:443']`
    await writeFile(join(folder, 'deploy/compose.yaml'), own.replace(/(?<=ports: ).*/, ports))
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    await writeFile(join(folder, 'deploy/.env'), lines.join(''))
    return new ComposeProject(docker, folder, port)
  }

  async compose(...args: readonly string[]): Promise<string> {
    const file = join(this.folder, 'deploy/compose.yaml')
    return await run(compose, [`--file=${file}`, ...args], this.docker.environment)
  }

  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '10')
    await rm(this.folder, { recursive: true, force: true })
  }
}
