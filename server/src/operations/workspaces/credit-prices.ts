import { z } from 'zod'
import {
  assignPlan,
  getCredits,
  grantCredits,
  listPrices,
  microsPerCredit,
  maxPriceMicros,
  setPrice,
  type SetPrice,
} from '#features/credits/index.ts'
import { planNames } from '#kernel/plan.ts'
import { creditAmount, creditField, creditsOf, creditsOrNull } from './credits.ts'
import {
  defineOperation,
  hints,
  listAnswer,
  listOf,
  moment,
  paging,
  peopleOnly,
  recordId,
  timestamp,
} from '#operations/operation.ts'

const common = {
  toolset: 'billing',
  personal: true,
  operatorOnly: true,
  surfaces: peopleOnly,
} as const
const changing = { ...common, scope: 'workspace:write', role: 'viewer' } as const

const giveCredits = defineOperation({
  ...changing,
  name: 'grant_credits',
  title: 'Grant credits',
  description:
    'Grants a workspace credits that do not expire, or takes some back. Only for operators of this instance.',
  hints: hints.create,
  audit: { notes: ['to_workspace_id', 'credits', 'note'] },
  input: z.object({
    to_workspace_id: recordId,
    credits: creditAmount,
    note: z.string().trim().max(500).optional(),
    idempotency_key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Calls with the same key are booked once'),
  }),
  output: z.strictObject({
    booked: z.boolean().describe('False if it was already booked'),
    balance: z.number().nullable(),
  }),
  run: async (ctx, { actor }, input) => {
    const workspaceId = input.to_workspace_id
    const booked = await grantCredits(ctx, actor.userId, {
      workspaceId,
      amountMicros: input.credits,
      note: input.note ?? null,
      idempotencyKey: input.idempotency_key,
    })
    const { balanceMicros } = await getCredits(ctx, workspaceId)
    return { booked, balance: creditsOrNull(balanceMicros) }
  },
})

/** Reads credits per million tokens, or per call, as micros. */
const priceField = creditField(0, maxPriceMicros / microsPerCredit)

const price = z.strictObject({
  model: z.string(),
  prompt_credits: z.number().nullable().describe('Per million tokens; null: the price was removed'),
  completion_credits: z.number().nullable(),
  cached_credits: z.number().nullable().describe('null: as prompt_credits'),
  call_credits: z.number().nullable(),
  valid_from: timestamp,
})

function showPrice({ pattern, price: set, validFrom }: SetPrice) {
  return {
    model: pattern,
    prompt_credits: set === null ? null : creditsOf(set.promptMicrosPerMillion),
    completion_credits: set === null ? null : creditsOf(set.completionMicrosPerMillion),
    cached_credits: creditsOrNull(set?.cachedMicrosPerMillion ?? null),
    call_credits: set === null ? null : creditsOf(set.callMicros),
    valid_from: validFrom,
  }
}

const putPrice = defineOperation({
  ...changing,
  name: 'set_model_price',
  title: 'Set model price',
  description:
    'Sets the price of a model in every workspace, in credits. Only for operators of this instance.',
  hints: hints.update,
  audit: {
    // The pattern in its only spelling, which the input may differ from.
    summarize: (result) => ({ model: z.object({ pattern: z.string() }).parse(result).pattern }),
    notes: [
      'prompt_credits',
      'completion_credits',
      'cached_credits',
      'call_credits',
      'remove',
      'valid_from',
    ],
  },
  input: z.object({
    model: z
      .string()
      .max(200)
      .describe('<provider>/<model>, <provider>/* or *; action/http or action/mcp for calls'),
    prompt_credits: priceField.default(0).describe('Per million input tokens'),
    completion_credits: priceField.default(0).describe('Per million output tokens'),
    cached_credits: priceField
      .optional()
      .describe('Per million input tokens from the provider’s cache. Default: prompt_credits'),
    call_credits: priceField.default(0).describe('Per answer or call'),
    remove: z.boolean().default(false).describe('Removes the price'),
    valid_from: moment.optional().describe('Default: now'),
  }),
  output: price,
  run: async (ctx, { actor }, input) =>
    showPrice(
      await setPrice(ctx, actor.userId, {
        pattern: input.model,
        price: input.remove
          ? null
          : {
              promptMicrosPerMillion: input.prompt_credits,
              completionMicrosPerMillion: input.completion_credits,
              cachedMicrosPerMillion: input.cached_credits ?? null,
              callMicros: input.call_credits,
            },
        validFrom: input.valid_from,
      }),
    ),
})

const showPrices = defineOperation({
  ...common,
  name: 'list_model_prices',
  title: 'List model prices',
  description: 'Lists the prices of models, in credits. Only for operators of this instance.',
  scope: 'billing:read',
  hints: hints.read,
  input: z.object(paging),
  output: listOf(price),
  run: async (ctx, { actor }, page) =>
    listAnswer(await listPrices(ctx, actor.userId, page), showPrice),
})

const givePlan = defineOperation({
  ...changing,
  name: 'assign_plan',
  title: 'Assign plan',
  description: 'Changes the plan of any workspace. Only for operators of this instance.',
  hints: hints.update,
  audit: {
    record: ({ input }) => ({ table: 'workspaces', where: { id: input.to_workspace_id } }),
    notes: ['to_workspace_id', 'plan'],
  },
  input: z.object({ to_workspace_id: recordId, plan: z.enum(planNames) }),
  output: z.strictObject({ workspace_id: recordId, plan: z.enum(planNames) }),
  run: async (ctx, { actor }, { to_workspace_id, plan }) => {
    await assignPlan(ctx, actor.userId, { workspaceId: to_workspace_id, plan })
    return { workspace_id: to_workspace_id, plan }
  },
})

/** For operators: prices, and plans and credits that are granted. */
export const operatorBillingOperations = [giveCredits, givePlan, putPrice, showPrices]
