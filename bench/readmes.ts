import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Collection } from './cranfield.ts'

/**
 * A second collection, which every checkout has: the READMEs of the installed packages. Each is to be
 * found by the description in its manifest (known-item retrieval: one relevant document per query).
 * The description is removed from the README, and the package's name from the description. Retrieval
 * was not tuned with it.
 */
export async function readReadmes(modules: string): Promise<Collection> {
  const documents: { number: number; title: string; text: string }[] = []
  const queries: string[] = []
  const gains = new Map<number, Map<number, number>>()
  const seen = new Set<string>()
  for (const folder of await packageFolders(modules)) {
    const item = await readPackage(folder)
    if (item === null || seen.has(item.description) || seen.has(item.text)) continue
    seen.add(item.description).add(item.text)
    const number = documents.length + 1
    // The package's name as the title would give the answer away.
    documents.push({ number, title: `Package ${number}`, text: item.text })
    queries.push(item.description)
    gains.set(queries.length, new Map([[number, 1]]))
  }
  return { documents, queries, gains }
}

async function packageFolders(modules: string): Promise<string[]> {
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.')).sort()
  const folders = await Promise.all(
    names.map(async (name) =>
      name.startsWith('@')
        ? (await readdir(join(modules, name))).map((part) => join(modules, name, part))
        : [join(modules, name)],
    ),
  )
  return folders.flat()
}

const fewestWords = 5
const fewestCharacters = 500
const maxCharacters = 20_000

/** @returns null for a package with too short a README or description */
async function readPackage(folder: string) {
  const [manifest, readme] = await Promise.all(
    ['package.json', 'README.md'].map((name) => readFile(join(folder, name), 'utf8').catch(noFile)),
  )
  if (manifest === undefined || readme === undefined || manifest === '' || readme === '')
    return null
  // In a package's manifest both fields may be missing or of any type.
  const { name, description } = JSON.parse(manifest) as { name?: unknown; description?: unknown }
  if (typeof name !== 'string' || typeof description !== 'string') return null
  const words = description.replaceAll(name, ' ').replaceAll(/\s+/g, ' ').trim()
  const text = readme.replaceAll(description, ' ').slice(0, maxCharacters)
  if (words.split(' ').length < fewestWords || text.length < fewestCharacters) return null
  return { description: words, text }
}

/** Many packages have no README of this name. */
function noFile(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return ''
  throw error
}
