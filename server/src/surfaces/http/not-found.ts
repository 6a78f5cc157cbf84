import type { NotFoundHandler } from 'hono'
import { html } from 'hono/html'
import type { Config } from '#config'
import type { HttpEnvironment } from './environment.ts'
import { answerPage, type Page } from './page.ts'
import { pathTo } from './service-address.ts'

/** Answers an unknown address: browsers get a page, all other clients get JSON. */
export function notFound(config: Pick<Config, 'baseUrl'>): NotFoundHandler<HttpEnvironment> {
  return async (c) => {
    c.header('Vary', 'Accept')
    const isBrowser = c.req.header('accept')?.includes('text/html') === true
    if (!isBrowser) return c.json({ error: 'Not found' }, 404)
    return await answerPage(c, config, nothingHere(config), 404)
  }
}

function nothingHere(config: Pick<Config, 'baseUrl'>): Page {
  return {
    title: 'Nothing is here',
    body: html`<h1>Nothing is here</h1>
      <p>There is no page at this address. Check it, or begin at the start.</p>
      <p><a class="button" href="${pathTo(config, '/')}">Go to the start</a></p>`,
  }
}
