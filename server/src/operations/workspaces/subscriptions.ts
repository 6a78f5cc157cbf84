import { z } from 'zod'
import { openBillingPortal, startCheckout } from '#features/subscriptions/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { planNames } from '#kernel/plan.ts'
import { defineOperation, hints, memberOf, peopleOnly } from '#operations/operation.ts'

const page = z.strictObject({ url: z.string().describe('The page to open in the browser') })

const checkout = defineOperation({
  name: 'start_checkout',
  title: 'Start checkout',
  description: 'Opens a page of the payment provider to buy a plan or a pack of credits.',
  toolset: 'billing',
  scope: 'workspace:write',
  role: 'owner',
  surfaces: peopleOnly,
  hints: { ...hints.create, openWorld: true },
  audit: { notes: ['plan', 'credits'], writtenBy: 'first unit' },
  input: z.object({
    plan: z.enum(planNames).optional().describe('Give either plan or credits'),
    credits: z.int().positive().optional().describe('The size of the pack'),
  }),
  output: page,
  run: async (ctx, call, { plan, credits }) => {
    const member = memberOf(call)
    if (plan !== undefined && credits === undefined)
      return await startCheckout(ctx, member, { kind: 'plan', plan })
    if (credits !== undefined && plan === undefined)
      return await startCheckout(ctx, member, { kind: 'credits', credits })
    throw new Fault(commonFaults.invalid_input, { issues: ['give either plan or credits'] })
  },
})

const portal = defineOperation({
  name: 'open_billing_portal',
  title: 'Open billing portal',
  description:
    'Opens the payment provider’s pages for cards, receipts, and changing or ending the plan.',
  toolset: 'billing',
  scope: 'workspace:write',
  role: 'owner',
  surfaces: peopleOnly,
  hints: { ...hints.create, openWorld: true },
  audit: { writtenBy: 'verb' },
  input: z.object({}),
  output: page,
  run: async (ctx, { workspaceId, record }) => {
    await record(workspaceId)
    return await openBillingPortal(ctx, workspaceId)
  },
})

export const subscriptionOperations = [checkout, portal]
