import { z } from 'zod'
import { createSetupLink, setupAddress } from '#features/identity/index.ts'
import { onlyTarget } from '#operations/audited.ts'
import { defineOperation, hints, peopleOnly, recordId, timestamp } from '#operations/operation.ts'

export const accountOperations = [
  defineOperation({
    name: 'create_account',
    title: 'Create account',
    description:
      'Creates an account and its set-up link, which is shown only now. You vouch for the e-mail address: give the link to its owner alone.',
    toolset: 'workspace',
    scope: 'workspace:write',
    surfaces: peopleOnly,
    personal: true,
    operatorOnly: true,
    hints: hints.create,
    needsConfirmation: true,
    audit: {
      ...onlyTarget,
      createdId: (result) => vouched.parse(result).user.id,
      notes: ['email'],
    },
    input: z.object({
      email: z.string().max(254),
      name: z.string().trim().max(200).optional().describe('The person can change it'),
    }),
    output: z.strictObject({
      user_id: recordId,
      email: z.string(),
      set_up_link: z.string().describe('Works once, within a day'),
      expires_at: timestamp,
    }),
    run: async (ctx, _call, input) => {
      const { user, setup } = await createSetupLink(ctx, input)
      return {
        user_id: user.id,
        email: user.email,
        set_up_link: setupAddress(ctx.config, setup.token),
        expires_at: setup.expiresAt,
      }
    },
  }),
]

const vouched = z.object({ user: z.object({ id: z.string() }) })
