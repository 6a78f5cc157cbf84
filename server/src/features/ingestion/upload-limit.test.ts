import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { pieceBytes } from '#kernel/byte-pieces.ts'
import { outcomeOf } from '#test/support/chat/credit-turns.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import {
  addFileSource,
  failInterruptedSources,
  placeSources,
  storePlaced,
  type PlacedSource,
} from './index.ts'

const allowedPieces = 50
/** One file is below the limit, two are not. */
const piecesPerFile = 48
/** The upload that is ahead reserves its bytes first, so the other one is refused. */
const lead = 4

describeInstance('the limit of stored bytes', (open) => {
  let instance: TestInstance
  beforeAll(async () => {
    const allowed = allowedPieces * pieceBytes
    instance = await open({ LIMITS: `storage_bytes_per_workspace=${allowed}` })
  })

  async function withAgent() {
    const owner = await instance.person()
    const { id } = await createAgent(instance.ctx, owner, { name: 'Helper' })
    return { workspaceId: owner.workspaceId, appId: id }
  }

  /** Per source of an agent. */
  async function stored(agentId: string) {
    const { read } = instance.ctx.db
    const sources = await read
      .selectFrom('knowledge_sources')
      .select(['id', 'title', 'status', 'byte_length'])
      .where('agent_id', '=', agentId)
      .execute()
    const pieces = await read
      .selectFrom('knowledge_file_pieces')
      .select('source_id')
      .where('source_id', 'in', sources.map(({ id }) => id).concat(''))
      .execute()
    return { sources, pieces: pieces.length }
  }

  test('ends an upload that exceeds it together with another, and deletes what it stored', async () => {
    const { workspaceId, appId } = await withAgent()
    const [first, second] = [new Upload(), new Upload()]
    const add = (filename: string, bytes: AsyncGenerator<Uint8Array>) =>
      outcomeOf(addFileSource(instance.ctx, workspaceId, { appId, filename, bytes }))
    const outcomes = await Promise.all([
      add('first.txt', first.inStepWith(second, lead)),
      add('second.txt', second.inStepWith(first, -lead)),
    ])
    expect(outcomes).toEqual(['done', 'limit_reached'])
    expect(second.sent).toBeLessThan(piecesPerFile)
    expect(await stored(appId)).toMatchObject({
      sources: [{ title: 'first.txt', byte_length: piecesPerFile * pieceBytes }],
      pieces: piecesPerFile,
    })
  })

  test('is never exceeded by uploads at the same time, and can be filled to its last piece', async () => {
    const { workspaceId, appId } = await withAgent()
    let most = 0
    const { db } = instance.ctx
    const write: typeof db.write = async (unit, options) => {
      const result = await db.write(unit, options)
      most = Math.max(most, (await stored(appId)).pieces)
      return result
    }
    const ctx = { ...instance.ctx, db: { ...db, write } }
    const uploads = Array.from({ length: 8 }, (_, n) =>
      outcomeOf(
        addFileSource(ctx, workspaceId, {
          appId,
          filename: `${n}.txt`,
          bytes: Array.from({ length: 9 }, () => Buffer.alloc(pieceBytes, `${n} `)),
        }),
      ),
    )
    expect(new Set(await Promise.all(uploads))).toContain('limit_reached')
    expect(most).toBeLessThanOrEqual(allowedPieces)
    const { pieces } = await stored(appId)
    const rest = Array.from({ length: allowedPieces - pieces }, () =>
      Buffer.alloc(pieceBytes, 'x '),
    )
    await addFileSource(instance.ctx, workspaceId, { appId, filename: 'rest.txt', bytes: rest })
    expect((await stored(appId)).pieces).toBe(allowedPieces)
  })

  test.each(['file', 'text'] as const)(
    'counts what an interrupted copy of a %s has stored, until that is deleted',
    async (kind) => {
      const { workspaceId, appId } = await withAgent()
      const place = { workspaceId, agentId: appId }
      const byteLength = piecesPerFile * pieceBytes
      const source =
        kind === 'file'
          ? { kind, title: 'Half', filename: 'half.txt', mediaType: null }
          : { kind, title: 'Half', url: null }
      const bytes = () => new Upload().stoppingAfter(3)
      const placed: PlacedSource[] = []
      await placeSources(instance.ctx, place, [{ source, byteLength, bytes }], placed)
      void storePlaced(instance.ctx, placed)
      while ((await stored(appId)).pieces < 3) await setImmediate()
      expect((await stored(appId)).sources).toMatchObject([{ byte_length: 16 * pieceBytes }])
      instance.advance(61_000)
      expect(await failInterruptedSources(instance.ctx)).toBe(1)
      expect(await stored(appId)).toMatchObject({
        sources: [{ status: 'failed', byte_length: 0 }],
        pieces: 0,
      })
    },
  )
})

class Upload {
  sent = 0
  #ended = false

  /** Stays so many pieces ahead of the other upload until that ends. */
  async *inStepWith(other: Upload, ahead: number): AsyncGenerator<Uint8Array> {
    try {
      for (; this.sent < piecesPerFile; this.sent++) {
        while (other.sent < this.sent - ahead && !other.#ended) await setImmediate()
        yield Buffer.alloc(pieceBytes, 'word ')
      }
    } finally {
      this.#ended = true
    }
  }

  /** Sends some pieces and nothing more, like the client of a process that has died. */
  async *stoppingAfter(pieces: number): AsyncGenerator<Uint8Array> {
    for (; this.sent < pieces; this.sent++) yield Buffer.alloc(pieceBytes, 'word ')
    await new Promise(() => {})
  }
}
