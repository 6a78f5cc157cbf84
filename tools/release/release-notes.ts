import type { ContractChanges } from './contract-changes.ts'
import { ReleaseError } from './version.ts'

/** Migration files by name, with the hash of their content. */
export type MigrationFiles = ReadonlyMap<string, string>

/**
 * What the migrations since the last release mean for an upgrade. A migration whose name ends with
 * `-breaking` stops the version before from working; every other one leaves it able to.
 *
 * @throws ReleaseError when a released migration was changed or removed
 */
export function migrationNotes(before: MigrationFiles, now: MigrationFiles): string {
  for (const [file, hash] of before)
    if (now.get(file) !== hash)
      throw new ReleaseError(`${file} was released and must not change: add another migration`)
  const names = [...now.keys()].filter((file) => !before.has(file)).map(nameOf)
  const added = [...new Set(names)].toSorted()
  if (added.length === 0) return 'This version does not migrate the database.'
  const breaking = added.filter((name) => name.endsWith('-breaking'))
  const listed = `Migrations: ${added.map((name) => `\`${name}\``).join(', ')}.`
  const consequence =
    breaking.length === 0
      ? 'The version before runs on the new schema, so processes can be replaced one by one. Older versions refuse to start on it.'
      : `**The version before does not run on the new schema (${breaking.map((name) => `\`${name}\``).join(', ')}): stop all processes before you start this version.**`
  return `${listed} ${consequence}`
}

function nameOf(file: string): string {
  return file.replace(/(\.(sqlite|postgres))?\.sql$/, '')
}

/** One line for each contract and kind of change; empty if nothing changed. */
export function contractNotes(contracts: ReadonlyMap<string, ContractChanges>): string {
  return [...contracts]
    .flatMap(([file, { added, changed, removed }]) => [
      ...line(file, 'added', added),
      ...line(file, 'changed', changed),
      ...line(file, '**removed**', removed),
    ])
    .join('\n')
}

function line(file: string, what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`- \`contracts/${file}\`, ${what}: ${names.map((name) => `\`${name}\``).join(', ')}.`]
}
