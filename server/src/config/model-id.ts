import { z } from 'zod'
import { parseModelId } from '#kernel/model-id.ts'
import { providers } from '#platform/providers/providers.ts'

const known = { providers: new Map(providers.map((one) => [one.name, one])) }

/** A model id in the only spelling of its provider. */
export const modelId = z.string().transform((text, context) => {
  const parsed = parseModelId(known, text)
  if (parsed !== null) return parsed.id
  context.addIssue({ code: 'custom', message: 'must look like <provider>/<model>' })
  return z.NEVER
})
