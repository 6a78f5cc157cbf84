import type { Caller } from '#test/faults/chat-traffic.ts'
import type { ParleyProcess } from './parley-process.ts'

export const metricsToken = 'a token for monitoring'

/** The samples of a metrics page in OpenMetrics' format, by name with labels. */
export class Scrape {
  readonly text: string
  readonly samples: ReadonlyMap<string, number>

  constructor(text: string) {
    this.text = text
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    this.samples = new Map(
      lines.map((line) => {
        const [, name = '', value = ''] = /^(\w+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? []
        if (name === '') throw new Error(`not a sample: ${line}`)
        return [name, Number(value)]
      }),
    )
  }

  get(name: string): number | undefined {
    return this.samples.get(name)
  }

  /** Names without labels. */
  get names(): ReadonlySet<string> {
    return new Set([...this.samples.keys()].map((sample) => sample.split('{')[0] ?? ''))
  }
}

export async function scrape(service: Pick<ParleyProcess, 'origin'>): Promise<Scrape> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const response = await fetch(`${service.origin}/metrics`, { headers })
  return new Scrape(await response.text())
}

/** One streamed turn, read to its end. */
export async function oneTurn(service: ParleyProcess, { key, model }: Caller): Promise<string> {
  const response = await fetch(`${service.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true }),
  })
  return await response.text()
}
