import type { NotFoundHandler } from 'hono'
import { html } from 'hono/html'
import type { Config } from '#config'
import type { HttpEnvironment } from './environment.ts'
import { answerPage } from './page.ts'
import { pathTo } from './service-address.ts'

/** Answers an unknown address: browsers get a page, all other clients get JSON. */
export function notFound(config: Pick<Config, 'baseUrl'>): NotFoundHandler<HttpEnvironment> {
  return async (c) => {
    c.header('Vary', 'Accept')
    const isBrowser = c.req.header('accept')?.includes('text/html') === true
    if (!isBrowser) return c.json({ error: 'Not found' }, 404)
    const title = 'Page not found'
    const body = html`<h1>${title}</h1>
      <p>There is no page at this address. Check the address, or go to the start page.</p>
      <p><a class="button" href="${pathTo(config, '/')}">Go to the start page</a></p>`
    return await answerPage(c, config, { title, body }, 404)
  }
}
