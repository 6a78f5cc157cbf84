import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { createOutbound } from '#platform/outbound-http/outbound.ts'

/**
 * To be run by itself, in an environment that names a proxy: who answers the platform's own clients,
 * and who answers ours.
 */
const url = String(process.argv[2])
const outbound = createOutbound({ allowPrivate: [new URL(url).hostname] })
const limits = { timeoutMs: 5_000, maxBytes: 1_000 }
const answers = {
  platformFetch: await (await fetch(url)).text(),
  platformHttp: await new Promise((resolve, reject) => {
    get(url, (response) => resolve(text(response))).on('error', reject)
  }),
  request: (await outbound.request(url)).body.toString(),
  /** Over `dispatcher`, which others use by themselves. */
  fetch: await (await outbound.fetch(limits)(url)).text(),
}
await outbound.close()
process.stdout.write(JSON.stringify(answers))
