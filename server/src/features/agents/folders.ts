import { z } from 'zod'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { listFolderRows, updateFolder } from './store.ts'

/** The name of a folder of agents; '' for none. */
export const folderName = z
  .string()
  .trim()
  .max(60)
  .regex(/^\P{Cc}*$/u, 'a name of one line')

/** The most agents that one call moves. */
export const maxMoved = 100

/** A folder exists while an agent is in it. */
export interface Folder {
  /** '' for the agents that are in none. */
  readonly name: string
  readonly agents: number
}

/** The folders of a workspace by name, with how many live agents are in each. */
export async function listFolders(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
): Promise<Folder[]> {
  const rows = await listFolderRows(db.read, workspaceId)
  const byName = new Intl.Collator('en', { numeric: true })
  return rows.toSorted((one, other) => byName.compare(one.name, other.name))
}

/**
 * Moves agents to a folder, all of them or none.
 *
 * @throws Fault record_not_found
 */
export async function moveAgents(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  { appIds, folder }: { readonly appIds: readonly string[]; readonly folder: string },
): Promise<void> {
  const given = new Set(appIds.map((id) => id.toLowerCase()))
  await db.write(async (tx) => {
    const moved = await updateFolder(tx, workspaceId, { appIds: [...given], folder })
    const found = new Set(moved.flatMap(({ id, app_name_id: name }) => [id, name]))
    if (![...given].every((id) => found.has(id))) throw new Fault(commonFaults.record_not_found)
  })
}
