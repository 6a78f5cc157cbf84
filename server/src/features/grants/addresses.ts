import type { Config } from '#config'

type Addressed = Pick<Config, 'baseUrl'>

/**
 * The issuer (RFC 8414 §2): the base address from the configuration, never from a request, so that
 * no Host header can poison what clients compare byte for byte.
 */
export function issuerOf({ baseUrl }: Addressed): string {
  return baseUrl
}

/** The resource of every token (RFC 8707): the MCP server. */
export function resourceOf(config: Addressed): string {
  return `${issuerOf(config)}/mcp`
}

/** The address of the resource's metadata, for 401 answers (RFC 9728 §3.1: before the path). */
export function resourceMetadataAddress(config: Addressed): string {
  const { origin, pathname } = new URL(resourceOf(config))
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}

/** True for the service's address and its MCP server's, with or without a trailing slash. */
export function isOwnResource(config: Addressed, resource: string): boolean {
  const bare = resource.replace(/\/$/, '')
  return bare === issuerOf(config) || bare === resourceOf(config)
}
