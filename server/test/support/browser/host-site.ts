import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const documentation = join(import.meta.dirname, '../../../../docs/widget.md')

/** A page of another origin, as the site of a customer serves it. */
export interface HostSite {
  readonly origin: string
  /**
   * Serves a page with this markup at every path of the site.
   *
   * @param hasTrustedTypes false for a site whose own scripts add other scripts
   */
  serve(page: Page, markup: string, hasTrustedTypes?: boolean): Promise<void>
}

/** The policy that docs/widget.md recommends, with nothing that the host itself would need. */
export function startHostSite(service: string, origin = 'https://shop.example'): HostSite {
  const policy = `default-src 'none'; base-uri 'none'; ${documentedPolicy(service)}`
  return {
    origin,
    async serve(page, markup, hasTrustedTypes = true) {
      const strict = hasTrustedTypes ? "; require-trusted-types-for 'script'" : ''
      const body = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Prices</h1>${markup}</body></html>`
      const headers = { 'content-type': 'text/html', 'content-security-policy': policy + strict }
      await page.route(`${origin}/**`, (route) => route.fulfill({ status: 200, headers, body }))
    },
  }
}

function documentedPolicy(service: string): string {
  const page = readFileSync(documentation, 'utf8')
  const [policy] = /^script-src https:.*$/m.exec(page) ?? []
  if (policy === undefined) throw new Error('docs/widget.md has no policy')
  return policy.replaceAll('https://parley.example.com', service)
}
