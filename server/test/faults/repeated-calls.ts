import { setTimeout as sleep } from 'node:timers/promises'

/** A request; it fails if its status is an error or its body reports an error. */
export type Call = () => Promise<Response>

const reportsError = /"isError":\s*true|"error":\s*\{/

/** Repeats calls until `stop`, and keeps the answers of those that fail. */
export class RepeatedCalls {
  answered = 0
  readonly failures: string[] = []
  private readonly workers: Promise<void>[]
  private isStopping = false

  /** Each call is repeated by a worker of its own. */
  constructor(calls: Readonly<Record<string, Call>>) {
    this.workers = Object.entries(calls).map(([name, call]) => this.work(name, call))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await Promise.all(this.workers)
  }

  private async work(name: string, call: Call): Promise<void> {
    while (!this.isStopping) {
      const failure = await failureOf(call)
      if (failure === null) {
        this.answered += 1
        continue
      }
      this.failures.push(`${name}: ${failure}`)
      await sleep(20)
    }
  }
}

async function failureOf(call: Call): Promise<string | null> {
  try {
    const response = await call()
    const body = await response.text()
    if (response.ok && !reportsError.test(body)) return null
    return `${response.status} ${body.slice(0, 500)}`
  } catch (error) {
    return String(error) // fetch rejects when the connection breaks.
  }
}
