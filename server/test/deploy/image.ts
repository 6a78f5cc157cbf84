import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/until.ts'
import { run } from './tools.ts'

/** Where debootstrap downloads packages from: its own default if this is not set. */
const mirror = process.env.DEBIAN_MIRROR
/** What Debian's slim images leave out as well. */
const leftOut = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info']
const caches = ['var/cache/apt', 'var/lib/apt/lists']

/** vfs works on every kernel, but it copies each layer. */
const driver = readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n') ? 'overlay' : 'vfs'

/** A folder that keeps base images for the next run: `DEPLOY_IMAGES=/var/tmp/images`. */
const kept = process.env.DEPLOY_IMAGES

/** A store of images in a folder of its own: no test touches the machine's images. */
export class ImageStore {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async create(): Promise<ImageStore> {
    return new ImageStore(kept ?? (await mkdtemp(join(tmpdir(), 'parley-images-'))))
  }

  private get storage(): string[] {
    const { folder } = this
    const paths = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
    return [...paths, '--storage-driver', driver]
  }

  /**
   * Creates the two base images from Debian packages, because tests reach no registry of images. The
   * one for building also gets the npm of this machine.
   */
  async createBases(): Promise<void> {
    if (await this.has('parley-build-base')) return
    const base = await this.debianRoot('bookworm')
    await this.importFolder(base, 'parley-base')
    await addNpm(base)
    await this.importFolder(base, 'parley-build-base')
    await rm(base, { recursive: true })
  }

  /** Creates a base image of another release. */
  async createBase(release: string, name: string): Promise<void> {
    if (await this.has(name)) return
    const base = await this.debianRoot(release)
    await this.importFolder(base, name)
    await rm(base, { recursive: true })
  }

  private async has(name: string): Promise<boolean> {
    return run('podman', [...this.storage, 'image', 'exists', name]).then(
      () => true,
      () => false,
    )
  }

  private async debianRoot(release: string): Promise<string> {
    const base = join(this.folder, release)
    await run('debootstrap', ['--variant=minbase', release, base, ...(mirror ? [mirror] : [])])
    for (const path of [...leftOut, ...caches])
      await rm(join(base, path), { recursive: true, force: true })
    return base
  }

  private async importFolder(folder: string, name: string): Promise<void> {
    const archive = join(this.folder, `${name}.tar`)
    await run('tar', ['-C', folder, '-cf', archive, '.'])
    await run('podman', [...this.storage, 'import', '--quiet', archive, name])
    await rm(archive)
  }

  /** Builds deploy/Dockerfile as `docker build` would. */
  async build(): Promise<void> {
    const npmrc = join(homedir(), '.npmrc')
    await this.buildah([
      ...(existsSync(npmrc) ? [`--secret=id=npmrc,src=${npmrc}`] : []),
      '--build-arg=BASE=localhost/parley-base',
      '--build-arg=BUILD_BASE=localhost/parley-build-base',
      '--file=deploy/Dockerfile',
      '--tag=parley',
      '.',
    ])
  }

  /** Builds the image of the same name in `stand-ins`. */
  async buildStandIn(name: string, base: string): Promise<void> {
    const folder = join(import.meta.dirname, 'stand-ins')
    const file = join(folder, `${name}.Containerfile`)
    await this.buildah([
      '--layers',
      `--build-arg=BASE=localhost/${base}`,
      `--file=${file}`,
      `--tag=${name}`,
      folder,
    ])
  }

  private async buildah(args: readonly string[]): Promise<void> {
    const how = ['--isolation=chroot', '--network=host', '--pull-never', '--format=docker']
    await run('buildah', [...this.storage, 'build', ...how, ...args])
  }

  /** @returns an archive that `docker load` reads, with the image under another name */
  async save(name: string, reference: string): Promise<string> {
    const archive = join(this.folder, `${name}.tar`)
    // Of a run before, in a folder that is kept.
    await rm(archive, { force: true })
    await run('buildah', [...this.storage, 'push', name, `docker-archive:${archive}:${reference}`])
    return archive
  }

  /** Bytes, uncompressed, of the image and of its base. */
  async sizes(): Promise<{ readonly whole: number; readonly base: number }> {
    const sizeOf = async (name: string) =>
      Number(await run('podman', [...this.storage, 'image', 'inspect', '--format={{.Size}}', name]))
    return { whole: await sizeOf('parley'), base: await sizeOf('parley-base') }
  }

  async inspect(format: string): Promise<string> {
    return (
      await run('podman', [...this.storage, 'image', 'inspect', `--format=${format}`, 'parley'])
    ).trim()
  }

  /** Starts a container as compose.yaml does: with a root file system that cannot be written. */
  async start(): Promise<Container> {
    const port = await freePort()
    const name = `parley-test-${port}`
    const child = spawn('podman', [
      ...this.storage,
      '--runtime=runc',
      'run',
      '--rm',
      `--name=${name}`,
      '--network=host',
      '--read-only',
      '--tmpfs=/tmp',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
      '--ulimit=nofile=1024:1024',
      '--ulimit=nproc=1024:1024',
      `--env=PORT=${port}`,
      '--env=HOST=127.0.0.1',
      'parley',
    ])
    const container = new Container(child, name, port, this.storage)
    const since = performance.now()
    await until('the container is ready', () => container.isReady())
    container.readyMs = performance.now() - since
    return container
  }

  /** Runs a command of podman on this store. @returns stdout */
  async podman(args: readonly string[]): Promise<string> {
    return await run('podman', [...this.storage, '--runtime=runc', ...args])
  }

  async remove(): Promise<void> {
    // Other tests may use the same folder, and their containers.
    if (kept !== undefined) return
    await run('podman', [...this.storage, 'rm', '--all', '--force'])
    await run('podman', [...this.storage, 'rmi', '--all', '--force'])
    await rm(this.folder, { recursive: true, force: true })
  }
}

export class Container {
  readonly origin: string
  readyMs = 0
  output = ''
  private readonly child: ChildProcess
  private readonly name: string
  private readonly storage: readonly string[]

  constructor(child: ChildProcess, name: string, port: number, storage: readonly string[]) {
    this.child = child
    this.name = name
    this.storage = storage
    this.origin = `http://127.0.0.1:${port}`
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => (this.output += piece.toString()))
  }

  async isReady(): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`the container ended: ${this.output}`)
    return fetch(`${this.origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  /** Runs a program in the container. */
  async exec(...command: string[]): Promise<string> {
    return await run('podman', [...this.storage, '--runtime=runc', 'exec', this.name, ...command])
  }

  /** As `docker stop` does. @returns the service's exit code */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'close')
      await run('podman', [...this.storage, '--runtime=runc', 'kill', '--signal=TERM', this.name])
      await ended
    }
    return this.child.exitCode
  }
}

/** Debian's npm comes with 300 packages, so this machine's is copied, with its certificates. */
async function addNpm(base: string): Promise<void> {
  const command = (await run('which', ['npm'])).trim()
  const npm = join(await realpath(command), '../..')
  await cp(process.execPath, join(base, 'usr/bin/node'))
  await mkdir(join(base, 'usr/lib/node_modules'), { recursive: true })
  await cp(npm, join(base, 'usr/lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(base, 'usr/bin/npm'))
  for (const path of ['etc/ssl/certs/ca-certificates.crt', 'usr/etc/npmrc', 'etc/npmrc'])
    if (existsSync(join('/', path))) await cp(join('/', path), join(base, path))
}
