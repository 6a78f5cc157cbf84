import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'

/** The documentation in the checkout, which the demo agent's citations link to. */
export interface DocumentationPage {
  /** Below `/docs/`, such as `sessions.md`. */
  readonly name: string
  readonly path: string
}

export function docsSurface(pages: readonly DocumentationPage[]): Hono<HttpEnvironment> {
  const paths = new Map(pages.map(({ name, path }) => [name, path]))
  const app = new Hono<HttpEnvironment>()
  app.get('/docs/:name', async (c) => {
    const path = paths.get(c.req.param('name'))
    if (path === undefined) return c.notFound()
    return c.body(await readFile(path, 'utf8'), 200, {
      'content-type': 'text/markdown; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })
  return app
}
