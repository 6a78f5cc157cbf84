import { z } from 'zod'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { showableName } from './client.ts'
import { grantFaults } from './grant-faults.ts'
import { redirectProblem } from './redirect-address.ts'

const maxRedirects = 20

const webAddress = z
  .string()
  .max(2000)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http(s) address')

/** RFC 7591 §2. Other fields are neither stored nor returned. */
export const clientRegistration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(maxRedirects),
  client_name: z.string().max(1000).optional(),
  client_uri: webAddress.optional(),
  logo_uri: webAddress.optional(),
  tos_uri: webAddress.optional(),
  policy_uri: webAddress.optional(),
  software_id: z.string().max(200).optional(),
  software_version: z.string().max(200).optional(),
  application_type: z.enum(['native', 'web']).optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})

/** The part of a client's metadata that is stored. */
export interface ClientMetadata extends Omit<
  z.output<typeof clientRegistration>,
  'application_type' | 'grant_types' | 'response_types'
> {
  readonly client_name: string
}

/**
 * Checks a client's metadata: all of it is text from a stranger.
 *
 * @throws Fault redirect_invalid, client_metadata_invalid
 */
export function readClientMetadata(
  config: Pick<Config, 'oauthRedirectSchemes'>,
  given: unknown,
): ClientMetadata {
  const parsed = clientRegistration.safeParse(withoutEmpty(given))
  if (!parsed.success) throw metadataFault(parsed.error)
  const { grant_types, response_types, application_type: _, ...kept } = parsed.data
  requireSupported('grant_types', grant_types, 'authorization_code')
  requireSupported('response_types', response_types, 'code')
  for (const address of kept.redirect_uris) {
    const problem = redirectProblem(config, address)
    if (problem !== null)
      throw new Fault(grantFaults.redirect_invalid, { problem: `a redirect address ${problem}` })
  }
  return { ...kept, client_name: showableName(kept.client_name ?? '') }
}

/** Some programs write null or an empty text for a field that they lack. */
function withoutEmpty(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const entries: [string, unknown][] = Object.entries(given)
  return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== ''))
}

function metadataFault(error: z.ZodError): Fault {
  const [issue] = error.issues
  const field = String(issue?.path[0] ?? 'the body')
  const problem = `${field}: ${issue?.message ?? 'is not valid'}`
  const code =
    field === 'redirect_uris' ? grantFaults.redirect_invalid : grantFaults.client_metadata_invalid
  return new Fault(code, { problem })
}

function requireSupported(field: string, given: readonly string[] | undefined, needed: string) {
  if (given === undefined || given.includes(needed)) return
  throw new Fault(grantFaults.client_metadata_invalid, { problem: `${field} must hold ${needed}` })
}
