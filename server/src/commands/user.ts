import { text } from 'node:stream/consumers'
import { readConfig } from '#config'
import { createUser, resetPassword } from '#features/identity/index.ts'
import type { Context } from '#platform/context.ts'
import { type Command, type Invocation, textOption, UsageError } from './command.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'

interface Given {
  readonly email: string
  readonly password: string
  readonly name: string | undefined
}

const verbs: Readonly<Record<string, (ctx: Context, given: Given) => Promise<object>>> = {
  create,
  'reset-password': reset,
}

export const user: Command = {
  usage: 'user create|reset-password --email EMAIL --password PASSWORD [--name NAME]',
  help: `
create creates a user with a workspace of their own and prints both as JSON.
reset-password sets a new password, for example after a set-up link expired. It signs the user out
everywhere, removes the link to an OpenID provider, and prints the user as JSON. The service may be
running. The e-mail address of an owner without one is owner@localhost.

  --email EMAIL         How the user signs in
  --password PASSWORD   At least 10 characters, hard to guess; - reads it from
                        standard input
  --name NAME           Of create. Default: the part of the e-mail before the @

  parley user reset-password --email ada@example.com --password -`,
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    name: { type: 'string' },
  },
  maxPositionals: 1,
  async run(terminal, { positionals: [verb = ''], options }) {
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
    const name = textOption(options, 'name')
    if (act === undefined || (act === reset && name !== undefined))
      throw new UsageError(`usage is \`parley ${user.usage}\``)
    const email = required(options, 'email')
    const given = required(options, 'password')
    const password = given === '-' ? (await text(terminal.stdin)).replace(/\r?\n$/, '') : given
    const shown = await withInstance(terminal, ({ ctx }) =>
      act(ctx, { email, password, name }).catch(explainRefusal),
    )
    if (readConfig(terminal.environment).signIn === 'openid') terminal.stderr.write(passwordsOff)
    terminal.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return 0
  },
}

const passwordsOff =
  'parley: this password does not sign in while SIGN_IN=openid; if your OpenID provider is down, restart the service with SIGN_IN=any\n'

async function create(ctx: Context, given: Given): Promise<object> {
  const account = await createUser(ctx, given)
  const { id, email, name } = account.user
  return { id, email, name, workspace_id: account.workspaceId }
}

async function reset(ctx: Context, given: Given): Promise<object> {
  const { id, email, name } = await resetPassword(ctx, given)
  return { id, email, name }
}

function required(options: Invocation['options'], name: string): string {
  const value = textOption(options, name)
  if (value !== undefined) return value
  throw new UsageError(`--${name} is missing: usage is \`parley ${user.usage}\``)
}
