import type { OpenPage } from '#features/visitors/index.ts'
import type { Config } from '#config'
import type { Http } from '#surfaces/http/environment.ts'
import { pageFont } from '#surfaces/http/page-font.ts'
import { pathTo } from '#surfaces/http/service-address.ts'

type Addressed = Pick<Config, 'baseUrl'>

/** Whether the request came to a domain of the page's own, where nothing else is served. */
export function isAtDomain(c: Http): boolean {
  return c.env?.pageAtDomain !== undefined
}

/** The page that a request names: by its path, or by the domain. */
export function nameInRequest(c: Http): string {
  return c.env?.pageAtDomain ?? c.req.param('app') ?? ''
}

/** The path of a page, without a slash at its end: empty at its own domain. */
export function pathOfPage(config: Addressed, c: Http, { address }: OpenPage): string {
  return isAtDomain(c) ? '' : pathTo(config, `/chat/${address}`)
}

/** The path of the page as the request names it, which reveals no other name of it. */
export function pathInRequest(config: Addressed, c: Http): string {
  return isAtDomain(c) ? '' : pathTo(config, `/chat/${c.req.param('app') ?? ''}`)
}

/** Where people sign in for the page that the request names. */
export function pathToEnter(config: Addressed, c: Http): string {
  return pathTo(config, `/login/chat/${encodeURIComponent(c.req.param('app') ?? '')}`)
}

/** The path of what the script of a page requests, which stays when the slug changes. */
export function pathOfScript(config: Addressed, c: Http, { appNameId }: OpenPage): string {
  return isAtDomain(c) ? `/chat/${appNameId}` : pathTo(config, `/chat/${appNameId}`)
}

/** The address of a page at the service, where people can sign in. */
export function addressAtService({ baseUrl }: Addressed, { address }: OpenPage): string {
  return `${baseUrl}/chat/${address}`
}

/** The path of a file that all pages share. */
export function pathOfAsset(config: Addressed, c: Http, file: string, version: string): string {
  const path = `/chat-assets/${file}`
  return isAtDomain(c) ? `${path}?v=${version}` : pathTo(config, path, { v: version })
}

/** At a domain, where the pages of accounts are not served. */
export const fontAtDomain = '/chat-assets/inter.woff2'

export function pathOfFont(config: Addressed, c: Http): string {
  return isAtDomain(c) ? fontAtDomain : pathTo(config, pageFont.path)
}
