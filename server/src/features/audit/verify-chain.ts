import type { Context } from '#platform/context.ts'
import { isAnchorOwn } from './anchor.ts'
import {
  findHead,
  findInstance,
  hasBegun,
  hasChains,
  listChains,
  listMarked,
  listSealed,
  listUnsealed,
} from './chain-store.ts'
import { eventMac, headMac, instanceChain, linkMac, type ChainRow } from './event-macs.ts'
import { missingAction } from './missing-events.ts'
import { hasPurgeBegun, keptActions, purgedChains, type PurgedChain } from './purge-events.ts'

type VerifyContext = Pick<Context, 'db' | 'vault' | 'clock'>
type SealedRow = Awaited<ReturnType<typeof listSealed>>[number]

const rowsAtOnce = 500

/** The newest link of a chain, for example as an export contains it. */
export interface ChainHead {
  readonly chain: string
  readonly seq: number
  readonly link: string
}

export type VerifyStep =
  /** Evidence that the log was changed. */
  | { readonly chain: string; readonly problem: string }
  /** The end of a chain. */
  | {
      readonly chain: string
      readonly checked: number
      readonly head: ChainHead | null
      /** Signed events that are not sealed yet. */
      readonly waiting: number
      /** Unsealed events of versions before the chain. */
      readonly unsigned: number
      /** The chain's workspace is being deleted, so it was not checked. */
      readonly isEnding: boolean
    }

/**
 * Verifies the chain of one workspace, or with null all chains, with one page of events in memory at a
 * time. `known` heads, for example of an export, must still be part of their chains.
 */
export async function* verifyChains(
  ctx: VerifyContext,
  only: string | null,
  known: readonly ChainHead[] = [],
): AsyncGenerator<VerifyStep, void, undefined> {
  const wanted = known.filter(({ chain }) => only === null || chain === only)
  const expected = yield* verifyPurged(ctx, wanted)
  const left = new Set(expected.map(({ chain }) => chain))
  if (only !== null) left.add(only)
  else
    for await (const chain of allChains(ctx)) {
      left.delete(chain)
      yield* verifyBesideDeletion(ctx, chain, expected)
    }
  for (const chain of left) yield* verifyBesideDeletion(ctx, chain, expected)
  yield* verifyInstance(ctx, only)
}

async function* allChains({ db }: VerifyContext): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const chains = await listChains(db.scan, after, rowsAtOnce)
    yield* chains
    const last = chains.at(-1)
    if (last === undefined || chains.length < rowsAtOnce) return
    after = last
  }
}

/**
 * Chains that Parley deleted with their workspaces have no head: a copy of one could replace the head
 * of another chain in the count.
 *
 * @returns the known heads without those that were deleted so
 */
async function* verifyPurged(
  ctx: VerifyContext,
  known: readonly ChainHead[],
): AsyncGenerator<VerifyStep, readonly ChainHead[]> {
  let expected = known
  for await (const { chain, end } of purgedChains(ctx)) {
    if ((await findHead(ctx.db.read, chain)) !== undefined)
      yield { chain, problem: 'its workspace was deleted permanently, and its head was put back' }
    expected = expected.filter((head) => head.chain !== chain || !isBefore(head, end))
  }
  return expected
}

function isBefore({ seq, link }: ChainHead, end: PurgedChain['end']): boolean {
  return end !== null && (seq < end.seq || (seq === end.seq && link === end.link))
}

/** The head of the instance says how many workspaces have a chain. */
async function* verifyInstance(
  { db, vault }: VerifyContext,
  only: string | null,
): AsyncGenerator<VerifyStep> {
  const instance = await findInstance(db.read)
  if (instance === undefined) {
    if ((await hasBegun(db.read)) || (await hasChains(db.read)))
      yield { chain: instanceChain, problem: 'the head of the instance is missing' }
    return
  }
  const found = Number(instance.workspaces)
  if (instance.mac !== headMac(vault, instance)) {
    if (only !== null) yield { chain: instanceChain, problem: 'its head was changed' }
  } else if (found !== instance.workspace_chains) {
    const what = `there are ${found} chains of workspaces instead of ${instance.workspace_chains}`
    yield { chain: instanceChain, problem: `${what}: a workspace's whole log was deleted or added` }
  }
}

/** Events that are deleted meanwhile because of their age are no problem: their unit moves the anchor. */
async function* verifyBesideDeletion(
  ctx: VerifyContext,
  chain: string,
  known: readonly ChainHead[],
): AsyncGenerator<VerifyStep> {
  for (let isDone = false; !isDone;) {
    const anchor = await anchorOf(ctx, chain)
    isDone = true
    let isShown = false
    for await (const step of verifyChain(ctx, chain, known)) {
      if ('problem' in step && !isShown && (await anchorOf(ctx, chain)) !== anchor) {
        isDone = false
        break
      }
      isShown ||= 'problem' in step
      yield step
    }
  }
}

async function anchorOf({ db }: VerifyContext, chain: string): Promise<number | undefined> {
  return (await findHead(db.read, chain))?.anchor_seq
}

async function* verifyChain(
  ctx: VerifyContext,
  chain: string,
  known: readonly ChainHead[],
): AsyncGenerator<VerifyStep> {
  const head = (await findHead(ctx.db.read, chain)) ?? null
  const ending = { chain, checked: 0, head: null, waiting: 0, unsigned: 0, isEnding: true }
  if (await isEnding(ctx, chain)) return yield ending
  const walk = new Walk(ctx, chain, known)
  if (head !== null) {
    if (head.mac !== headMac(ctx.vault, head)) yield walk.problem('its head was changed')
    walk.expected.push(head)
    yield* verifyAnchor(ctx, walk, head)
  }
  for (;;) {
    const rows = await listSealed(ctx.db.scan, chain, walk.seq, rowsAtOnce)
    for (const row of rows) yield* walk.step(row)
    if (rows.length < rowsAtOnce) break
  }
  yield* walk.end(head)
  const unsealed = yield* verifyUnsealed(ctx, chain)
  const { checked, seq, link } = walk
  yield { chain, checked, head: head && { chain, seq, link }, ...unsealed, isEnding: false }
}

/**
 * Events that were deleted because of their age end at the anchor, where the walk begins. Before it,
 * only the events about purges are left.
 */
async function* verifyAnchor(
  { db, vault }: VerifyContext,
  walk: Walk,
  head: ChainRow,
): AsyncGenerator<VerifyStep> {
  const { chain, anchor_seq: until, anchor_link: link, anchor_kept: expected } = head
  if (!isAnchorOwn(vault, head)) return yield walk.problem('its anchor was changed')
  let kept = 0
  for (let after = 0; after < until;) {
    const rows = await listSealed(db.scan, chain, after, rowsAtOnce)
    const older = rows.filter(({ seq }) => seq !== null && seq <= until)
    for (const row of older) {
      kept += 1
      if (row.mac !== eventMac(vault, row) || !keptActions.includes(row.action))
        yield walk.problem(`entry ${row.seq} (${row.id}) was changed or inserted`)
    }
    after = older.length < rowsAtOnce ? until : (older.at(-1)?.seq ?? until)
  }
  if (kept !== expected)
    yield walk.problem(`${expected - kept} of the entries before its anchor are missing`)
  yield* walk.beginAt(until, link)
}

/** The mark in the workspace's row only saves a query: it is not signed. */
async function isEnding(ctx: VerifyContext, chain: string): Promise<boolean> {
  if (chain === instanceChain) return false
  const marked = await listMarked(ctx.db.read, chain)
  return marked.length > 0 && (await hasPurgeBegun(ctx, chain, ctx.db.scan))
}

/** One pass over the sealed events of a chain. */
class Walk {
  seq = 0
  link = ''
  checked = 0
  /** Heads that the chain must contain. */
  readonly expected: ChainHead[]
  private readonly vault: VerifyContext['vault']
  private readonly chain: string
  /** True after a gap: the link before the next event is not known. */
  private isCut = false

  constructor({ vault }: VerifyContext, chain: string, known: readonly ChainHead[]) {
    this.vault = vault
    this.chain = chain
    this.expected = known.filter((head) => head.chain === chain)
  }

  problem(problem: string): VerifyStep {
    return { chain: this.chain, problem }
  }

  *beginAt(seq: number, link: string): Generator<VerifyStep> {
    for (const head of this.expected)
      if (head.seq === seq && seq > 0 && head.link !== link)
        yield this.problem(`entry ${seq} is not the one that a head names`)
    this.seq = seq
    this.link = link
  }

  *step(row: SealedRow): Generator<VerifyStep> {
    const { seq, link } = row
    // The query selects sealed rows only.
    if (seq === null || link === null) return
    this.checked += 1
    if (seq === this.seq) yield this.problem(`entry ${seq} (${row.id}) appears twice`)
    if (seq > this.seq + 1) {
      yield this.problem(missing(this.seq + 1, seq - 1))
      this.isCut = true
    }
    const isOwn = row.mac === null || row.mac === eventMac(this.vault, row)
    const isLinked = this.isCut || link === linkMac(this.vault, this.link, seq, row)
    if (!isOwn) yield this.problem(`entry ${seq} (${row.id}) was changed or inserted`)
    else if (!isLinked)
      yield this.problem(`entry ${seq} (${row.id}) was changed, inserted or moved`)
    else if (row.action === missingAction) yield this.problem(missingBySeal(row))
    for (const head of this.expected)
      if (head.seq === seq && head.link !== link)
        yield this.problem(`entry ${seq} (${row.id}) is not the one that a head names`)
    this.isCut = false
    this.seq = seq
    this.link = link
  }

  *end(head: ChainRow | null): Generator<VerifyStep> {
    const newest = Math.max(0, ...this.expected.map(({ seq }) => seq))
    if (newest > this.seq) yield this.problem(`${missing(this.seq + 1, newest)}, the newest`)
    if (head === null && this.seq > 0) yield this.problem('its head was deleted')
  }
}

function missingBySeal({ target, detail_json }: Pick<SealedRow, 'target' | 'detail_json'>): string {
  return `entry ${target} is missing: it was deleted before it was sealed (${detail_json})`
}

function missing(first: number, last: number): string {
  return first === last ? `entry ${first} is missing` : `entries ${first} to ${last} are missing`
}

async function* verifyUnsealed(
  { db, vault, clock }: VerifyContext,
  chain: string,
): AsyncGenerator<VerifyStep, { waiting: number; unsigned: number }> {
  const unsignedUntil = (await findHead(db.read, instanceChain))?.unsigned_until ?? Infinity
  const mayBeUnsigned = clock.now() <= unsignedUntil
  let [waiting, unsigned] = [0, 0]
  for (let after = ''; ;) {
    const rows = await listUnsealed(db.scan, { after, limit: rowsAtOnce, chain })
    for (const row of rows) {
      if (row.mac === eventMac(vault, row)) {
        waiting += 1
        if (row.action === missingAction) yield { chain, problem: missingBySeal(row) }
      } else if (row.mac === null && mayBeUnsigned) unsigned += 1
      else
        yield {
          chain,
          problem: `entry ${row.id} was inserted or changed, or is of an older version`,
        }
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return { waiting, unsigned }
    after = last.id
  }
}
