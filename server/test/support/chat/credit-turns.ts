import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { bookUnstoredTurn, getCredits, setPrice, TurnCredits } from '#features/credits/index.ts'
import type { TestInstance, Person } from '#test/support/test-instance.ts'

export interface TurnConsumer {
  readonly key?: string
  readonly endUser?: string
  readonly agent?: string
}

/** Turns as the ledger sees them: held and used credits. A completion token costs one micro. */
export interface CreditTurns {
  /** The owner of the first workspace. */
  readonly operator: Person
  turn(person: Person, of?: TurnConsumer): Promise<TurnCredits>
  finish(credits: TurnCredits, used: number): Promise<void>
  /** Runs a turn that holds `most` micros and uses `used`. */
  run(person: Person, most: number, used: number, of?: TurnConsumer): Promise<void>
  balance(person: Person): Promise<number | null>
  /** The sum of the ledger entries. */
  sum(person: Person): Promise<number>
}

const model = 'openai/mock'

/** Sets a price on a new instance. */
export async function setUpCreditTurns(instance: TestInstance): Promise<CreditTurns> {
  const { ctx } = instance
  const operator = await instance.person()
  await setPrice(ctx, operator.userId, {
    pattern: '*',
    price: { promptMicrosPerMillion: 0, completionMicrosPerMillion: 1_000_000, callMicros: 0 },
  })
  return creditTurnsOn(instance, operator)
}

/** The same in another process, after the price is set. */
export function creditTurnsOn({ ctx }: Pick<TestInstance, 'ctx'>, operator: Person): CreditTurns {
  const turn: CreditTurns['turn'] = ({ workspaceId }, { agent, key, endUser } = {}) =>
    TurnCredits.open(ctx, {
      consumer: {
        workspaceId,
        agentId: agent ?? 'agent',
        keyId: key ?? null,
        endUser: endUser ?? null,
      },
      turnId: newId(),
      model,
      startedAt: ctx.clock.now(),
    })
  const finish: CreditTurns['finish'] = async (credits, used) => {
    credits.end()
    await bookUnstoredTurn(ctx, credits, { promptTokens: 0, completionTokens: used }, 'api')
  }
  return {
    operator,
    turn,
    finish,
    async run(person, most, used, of) {
      const credits = await turn(person, of)
      await credits.holdForModel({ promptTokens: 0, completionTokens: most })
      await finish(credits, used)
    },
    async balance({ workspaceId }) {
      return (await getCredits(ctx, workspaceId)).balanceMicros
    },
    async sum({ workspaceId }) {
      const rows = await ctx.db.read
        .selectFrom('credit_entries')
        .select('amount_micros')
        .where('workspace_id', '=', workspaceId)
        .execute()
      return rows.reduce((total, { amount_micros }) => total + amount_micros, 0)
    },
  }
}

/** The fault code of a rejected promise, or `done`. */
export function outcomeOf(running: Promise<unknown>): Promise<string> {
  return running.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : Promise.reject(error)),
  )
}
