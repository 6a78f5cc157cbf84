import type { Cell, CopyHeader, TableShape } from '#platform/db/row-source.ts'
import type { Readable } from './rows-hash.ts'

/** A move failed or was refused; the message says why and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError'
}

export interface MoveTable extends TableShape {
  /** Columns of the primary key. */
  readonly key: readonly string[]
}

/** The values of a row's primary key. */
export type Key = readonly Cell[]

/** A database that nothing writes while it is moved. */
export interface MoveSource extends Readable {
  readonly header: CopyHeader
  /** Names the database without a secret. */
  readonly place: string
  tables(): Promise<readonly MoveTable[]>
  count(table: string): Promise<number>
  /** Up to `limit` rows after the key, in the order of the key. */
  page(table: MoveTable, after: Key | null, limit: number): Promise<readonly (readonly Cell[])[]>
}

export interface TableProgress {
  /** The key of the last row that was copied; null before the first. */
  readonly after: Key | null
  readonly isDone: boolean
}

/** Where the copy is built, beside the database that services use, until it is complete. */
export interface MoveTarget extends Readable {
  readonly place: string
  tables(): Promise<readonly TableShape[]>
  /** What an interrupted run has copied, by table. */
  progress(): Promise<ReadonlyMap<string, TableProgress>>
  /** Adds rows and records the progress, in one transaction. */
  write(table: MoveTable, rows: readonly (readonly Cell[])[], next: TableProgress): Promise<void>
  /** Adds indexes, references and triggers, checks the references, and replaces the empty database. */
  finish(counters: CopyHeader['counters']): Promise<void>
}

export interface TargetOptions {
  /** The source's place: another move's unfinished copy is not continued. */
  readonly from: string
  /** Removes an unfinished copy. */
  readonly restart: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * What an unfinished copy keeps in itself, on both engines: where its rows come from, the progress, and
 * the statements of indexes, references and triggers, which follow when all rows are there.
 */
export const stateTables = `
  create table move_source (place text not null);
  create table move_progress (name text primary key, last_key text, is_done bigint not null);
  create table move_later (position bigint primary key, statement text not null)`

export const stateTableNames: readonly string[] = ['move_source', 'move_progress', 'move_later']

export const dropStateTables = stateTableNames.map((name) => `drop table ${name}`).join('; ')

export const liveSource = 'a service uses the source: stop it first'
export const liveTarget = 'a service uses the target: stop it first'
export const usedTarget = 'the target is not empty: name an empty database'
export const secondMove = 'another process moves into the target'

/** @throws MoveError */
export function refuseOtherMove(from: string, { from: wanted }: Pick<TargetOptions, 'from'>): void {
  if (from !== wanted)
    throw new MoveError(
      `the target has an unfinished move from ${from}: finish that one, or add --restart to remove it`,
    )
}
