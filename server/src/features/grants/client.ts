/** An application that asks people for access. All clients are public: none has a secret. */
export interface OauthClient {
  readonly id: string
  /** A `document` client's id is the https address that describes it. */
  readonly kind: 'built_in' | 'registered' | 'document'
  /** The client's own claim: safe to show, but not verified. */
  readonly name: string
  readonly redirectUris: readonly string[]
}

/** The built-in command-line client (interface: OAuth endpoints). */
export const commandLineClient: OauthClient = {
  id: 'svc_mcp_cli',
  kind: 'built_in',
  name: 'Command-line MCP client',
  redirectUris: ['http://localhost/callback', 'http://127.0.0.1/callback', 'http://[::1]/callback'],
}

const maxNameLength = 100

/** Letters and symbols that are invisible, such as the Hangul filler and the empty Braille cell. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * A name that is safe to show: one line, without characters that hide or reorder others. A name
 * without a visible character is replaced.
 */
export function showableName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const shown = Array.from(plain).slice(0, maxNameLength).join('')
  return blank.test(shown) ? 'An application without a name' : shown
}
