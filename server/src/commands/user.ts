import { text } from 'node:stream/consumers'
import { createUser } from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { CommandFailure, type Command, UsageError } from './command.ts'
import { withInstance } from './with-instance.ts'

export const user: Command = {
  usage: 'user create --email EMAIL --password PASSWORD [--name NAME]',
  help: `
Makes a user with a workspace of their own and prints both as JSON.

  --email EMAIL         How the user signs in
  --password PASSWORD   At least 8 characters; - reads it from standard input
  --name NAME           Default: the part of the e-mail before the @`,
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    name: { type: 'string' },
  },
  mostPositionals: 1,
  async run(terminal, { positionals: [verb], options }) {
    if (verb !== 'create') throw new UsageError(`usage is \`parley ${user.usage}\``)
    const email = required(options.email, '--email')
    const given = required(options.password, '--password')
    const password = given === '-' ? (await text(terminal.stdin)).replace(/\r?\n$/, '') : given
    const name = typeof options.name === 'string' ? options.name : undefined
    const account = await withInstance(terminal, ({ ctx }) =>
      createUser(ctx, { email, password, name }).catch(inWords),
    )
    const { id, email: address, name: called } = account.user
    const shown = { id, email: address, name: called, workspace_id: account.workspaceId }
    terminal.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return 0
  },
}

function required(value: string | boolean | undefined, option: string): string {
  if (typeof value === 'string') return value
  throw new UsageError(`${option} is missing: usage is \`parley ${user.usage}\``)
}

function inWords(error: unknown): never {
  if (error instanceof Fault) throw new CommandFailure(faultMessage(error), { cause: error })
  throw error
}
