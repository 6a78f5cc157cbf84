import { SMTPServer } from 'smtp-server'
import { mailLetter } from '#features/identity/index.ts'
import { mailInvitation } from '#features/members/index.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import type { TestInstance } from '#test/support/test-instance.ts'

/** A real mail server on loopback that keeps the letters it receives. */
export class PostOffice {
  readonly letters: { readonly to: readonly string[]; readonly source: string }[] = []
  /** The codes with which it refuses the next recipients. */
  refusals: number[] = []
  private readonly server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username = '' }, _session, done) => done(null, { user: username }),
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => {
      const code = this.refusals.shift()
      if (code === undefined) return done()
      return done(Object.assign(new Error('not here'), { responseCode: code }))
    },
    onData: (stream, session, done) => {
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        this.letters.push({ to, source: Buffer.concat(pieces).toString() })
        done()
      })
    },
  })

  async open(): Promise<string> {
    await new Promise<void>((done) => {
      this.server.listen(0, '127.0.0.1', done)
    })
    const address = this.server.server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `smtp://127.0.0.1:${address.port}`
  }

  async close(): Promise<void> {
    await new Promise<void>((done) => {
      this.server.close(done)
    })
  }

  /** The path and query of the links in the newest letter to an address. */
  linksTo(address: string): readonly string[] {
    const letter = this.letters.findLast(({ to }) => to.includes(address))
    const plain = (letter?.source ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return [...plain.matchAll(/https?:\/\/\S+/g)].map(([link]) => {
      const { pathname, search } = new URL(link)
      return pathname + search
    })
  }
}

/** Sends the letters that wait, as the service's job runner does. */
export function postman({ ctx }: Pick<TestInstance, 'ctx'>) {
  const runner = createJobRunner(ctx, createJobs(ctx.clock), [mailInvitation, mailLetter])
  return { deliver: () => runner.runDue(), stop: () => runner.stop() }
}
