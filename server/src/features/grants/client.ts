import { z } from 'zod'

/** An application that asks people for access. All are public clients: none has a secret. */
export interface OauthClient {
  readonly id: string
  /** A `document` client's id is the https address that describes it. */
  readonly kind: 'built_in' | 'registered' | 'document'
  /** Its own claim, fit to be shown but not to be believed. */
  readonly name: string
  readonly redirectUris: readonly string[]
}

/** What is kept of a client's metadata (RFC 7591 §2), whichever way it came. */
export const clientMetadata = z.object({
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  client_uri: z.string().optional(),
  logo_uri: z.string().optional(),
  tos_uri: z.string().optional(),
  policy_uri: z.string().optional(),
  software_id: z.string().optional(),
  software_version: z.string().optional(),
})

export type ClientMetadata = z.infer<typeof clientMetadata>

/** The command-line client that exists from the start (interface: OAuth endpoints). */
export const commandLineClient: OauthClient = {
  id: 'svc_mcp_cli',
  kind: 'built_in',
  name: 'Command-line MCP client',
  redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback', 'http://[::1]/callback'],
}

const maxNameLength = 100

/** Letters and symbols that show nothing, such as the Hangul filler and the empty Braille cell. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * A name as it can be shown: one line, without the characters that hide or reorder others. A name
 * that leaves nothing to see is none.
 */
export function showableName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const shown = Array.from(plain).slice(0, maxNameLength).join('')
  return blank.test(shown) ? 'An application without a name' : shown
}
