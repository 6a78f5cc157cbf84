import { z } from 'zod'
import {
  capPeriods,
  capSubjects,
  everyEndUser,
  listCreditCaps,
  setCreditCap,
  type Cap,
} from '#features/credits/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Audit } from '#operations/audited.ts'
import { creditAmount, creditsOf, creditsOrNull } from './credits.ts'
import {
  defineOperation,
  hints,
  memberOf,
  listAnswer,
  listOf,
  paging,
  peopleOnly,
} from '#operations/operation.ts'

const cap = z.strictObject({
  subject: z.enum(capSubjects),
  subject_id: z.string().nullable(),
  period: z.enum(capPeriods),
  credits: z.number(),
})

function showCap({ subject, subjectId, period, amountMicros }: Cap) {
  const subject_id = subjectId === '' ? null : subjectId
  return { subject, subject_id, period, credits: creditsOf(amountMicros) }
}

const capInput = z.object({
  subject: z.enum(capSubjects),
  subject_id: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      `UUID of the agent or key, or an end user's id; ${everyEndUser} is each end user. Leave it out for the workspace.`,
    ),
  period: z.enum(capPeriods),
  credits: creditAmount.pipe(z.number().min(0)).nullable(),
})

const changesCap: Audit<z.output<typeof capInput>> = {
  record: ({ workspaceId, input }) => ({
    table: 'credit_caps',
    where: {
      workspace_id: workspaceId,
      subject: input.subject,
      subject_id: input.subject_id ?? '',
      period: input.period,
    },
  }),
}

const setCap = defineOperation({
  name: 'set_credit_cap',
  title: 'Set credit cap',
  description:
    'Limits the credits that a workspace, an agent, a chat key or end users may use per day or month, in UTC. null removes the limit.',
  toolset: 'billing',
  scope: 'workspace:write',
  role: 'admin',
  surfaces: peopleOnly,
  hints: hints.update,
  audit: changesCap,
  input: capInput,
  output: cap.extend({ credits: z.number().nullable() }),
  run: async (ctx, call, { subject, subject_id, period, credits: micros }) => {
    const subjectId = subject === 'workspace' ? '' : subject_id
    if (subjectId === undefined || (subject === 'workspace' && subject_id !== undefined)) {
      const issue =
        subject === 'workspace'
          ? 'subject_id: leave it out for the workspace'
          : `subject_id: give the id of the ${subject}`
      throw new Fault(commonFaults.invalid_input, { issues: [issue] })
    }
    const cap = { subject, subjectId, period, amountMicros: micros }
    await setCreditCap(ctx, memberOf(call), cap)
    return { subject, subject_id: subject_id ?? null, period, credits: creditsOrNull(micros) }
  },
})

const listCaps = defineOperation({
  name: 'list_credit_caps',
  title: 'List credit caps',
  description: 'Lists the credit caps of a workspace.',
  toolset: 'billing',
  scope: 'billing:read',
  surfaces: peopleOnly,
  hints: hints.read,
  input: z.object(paging),
  output: listOf(cap),
  run: async (ctx, { workspaceId }, page) =>
    listAnswer(await listCreditCaps(ctx, workspaceId, page), showCap),
})

export const creditCapOperations = [setCap, listCaps]
