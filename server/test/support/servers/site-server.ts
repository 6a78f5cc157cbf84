import { startServer, type ModelServer } from './model-server.ts'

export interface SitePage {
  readonly body?: string | Buffer
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface Site {
  readonly origin: string
  /** `127.0.0.1:port`, for OUTBOUND_ALLOW_PRIVATE. */
  readonly host: string
  /** Pages by path with query. Every other path returns 404. */
  readonly pages: Record<string, SitePage | string | (() => SitePage)>
  /** Requested paths in order, without robots.txt. */
  asked(): string[]
  readonly server: ModelServer
  stop(): Promise<void>
}

/** A website on loopback whose pages the test can change. */
export async function startSite(pages: Site['pages'] = {}): Promise<Site> {
  const site = { ...pages }
  const server = await startServer((response, { path }) => {
    const found = site[path]
    const page = typeof found === 'function' ? found() : found
    if (page === undefined) response.writeHead(404).end()
    else if (typeof page === 'string')
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    else
      response
        .writeHead(page.status ?? 200, { 'content-type': 'text/html', ...page.headers })
        .end(page.body ?? '')
  })
  return {
    origin: server.origin,
    host: new URL(server.origin).host,
    pages: site,
    asked: () => server.requests.map(({ path }) => path).filter((path) => path !== '/robots.txt'),
    server,
    stop: () => server.stop(),
  }
}
