import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { Pool } from 'undici'

/**
 * The least that a chat server can do with the packages that Parley uses: it forwards a request to
 * the model and the response to the caller, and stores nothing.
 *
 *   node bare-proxy.ts URL-OF-THE-MODEL
 */

const model = new URL(`${process.argv[2]}/chat/completions`)
const pool = new Pool(model.origin, { connections: 256 })
const app = new Hono()

app.post('/v1/chat/completions', async ({ req }) => {
  const response = await pool.request({
    method: 'POST',
    path: model.pathname,
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
    body: JSON.stringify(await req.json()),
  })
  const headers = { 'content-type': String(response.headers['content-type']) }
  const isStream = headers['content-type'].startsWith('text/event-stream')
  return new Response(isStream ? webStream(response.body) : await response.body.text(), { headers })
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`ready at http://127.0.0.1:${port}`)
})

/** Forwards each packet as it arrives. */
function webStream(packets: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return ReadableStream.from(packets)
}
