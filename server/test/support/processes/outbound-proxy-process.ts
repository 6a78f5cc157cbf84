import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { createOutbound } from '#platform/outbound-http/outbound.ts'

/**
 * A program to run in an environment that names a proxy. It prints which server answers the
 * platform's clients and which answers ours.
 */
const url = String(process.argv[2])
const outbound = createOutbound({ allowPrivate: [new URL(url).hostname] })
const limits = { timeoutMs: 5_000, maxBytes: 1_000, maxValues: 100 }
const answers = {
  platformFetch: await (await fetch(url)).text(),
  platformHttp: await new Promise((resolve, reject) => {
    get(url, (response) => resolve(text(response))).on('error', reject)
  }),
  request: (await outbound.request(url)).body.toString(),
  /** Through `dispatcher`, which other code uses directly. */
  fetch: await (await outbound.fetch(limits)(url)).text(),
}
await outbound.close()
process.stdout.write(JSON.stringify(answers))
