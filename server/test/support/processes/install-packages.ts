import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs the packages of a folder with a package file and a lock file of its own, the first time
 * that they are needed, so that neither `npm start` nor `npm test` installs them.
 *
 * @param into where `node_modules` is created, if not in the folder itself
 * @returns the path of `node_modules`
 */
export async function installPackages(folder: string, into = folder): Promise<string> {
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8')
  const packages = join(into, 'node_modules')
  const marker = join(packages, '.installed-lock.json')
  if (existsSync(marker) && (await readFile(marker, 'utf8')) === lock) return packages
  if (into !== folder) {
    await mkdir(into, { recursive: true })
    for (const name of ['package.json', 'package-lock.json'])
      await copyFile(join(folder, name), join(into, name))
  }
  const args = ['ci', '--ignore-scripts', '--loglevel=error']
  await run('npm', args, { cwd: into, shell: process.platform === 'win32' })
  await writeFile(marker, lock)
  return packages
}

const root = join(import.meta.dirname, '../../../..')

/** Installs the programs of others that tests run. @returns the path of `node_modules` */
export async function installPrograms(): Promise<string> {
  return await installPackages(join(root, 'server/test/programs'), join(root, '.cache/programs'))
}
