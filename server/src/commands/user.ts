import { text } from 'node:stream/consumers'
import { readConfig } from '#config'
import type { KeyToRotate } from '#features/api-keys/index.ts'
import {
  changeEmailOf,
  createSetupLink,
  createUser,
  disableUser,
  enableUser,
  endUserSessions,
  resetPassword,
  resetUserSecondFactors,
  setupAddress,
} from '#features/identity/index.ts'
import { keyToRotate, showKeyToRotate } from '#operations/people/key-rotation.ts'
import type { Context } from '#platform/context.ts'
import { type Command, type Invocation, textOption, UsageError } from './command.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'

interface Given {
  readonly email: string
  readonly password: string | undefined
  readonly name: string | undefined
  readonly to: string | undefined
}

const extras = ['password', 'name', 'to'] as const
type Extra = (typeof extras)[number]

interface Verb {
  /** The options that it accepts besides `--email`. */
  readonly accepts: readonly Extra[]
  run(ctx: Context, given: Given): Promise<object>
}

const verbs: Readonly<Record<string, Verb>> = {
  create: { accepts: ['password', 'name'], run: create },
  'reset-password': { accepts: ['password'], run: reset },
  disable: {
    accepts: [],
    run: async (ctx, { email }) => {
      const { user, keysToRotate } = await disableUser(ctx, email)
      return { ...person(user), disabled: true, ...rotation(keysToRotate) }
    },
  },
  enable: {
    accepts: [],
    run: async (ctx, { email }) => ({ ...person(await enableUser(ctx, email)), disabled: false }),
  },
  'change-email': { accepts: ['to'], run: changeEmail },
  'reset-second-factors': {
    accepts: [],
    run: async (ctx, { email }) => {
      const { user, removed } = await resetUserSecondFactors(ctx, email)
      return { ...person(user), removed_second_factors: removed }
    },
  },
  'end-sessions': {
    accepts: [],
    run: async (ctx, { email }) => person(await endUserSessions(ctx, email)),
  },
}

export const user: Command = {
  usage:
    'user create|reset-password|disable|enable|end-sessions|reset-second-factors|change-email --email EMAIL [--password PASSWORD] [--name NAME] [--to EMAIL]',
  help: `
All print the user as JSON. The service may be running. The e-mail address of an owner without one is
owner@localhost.

create creates a user with a workspace of their own. You vouch for the e-mail address. Without
--password it prints a set-up link, where the person chooses a password: give it to them alone.

reset-password is for an account whose password is lost or known to another person. It ends everything
that acts for the user: sign-ins, second factors, developer keys, connected apps, set-up links, open invitations and the
link to an OpenID provider. Chat and checkout keys stay; the answer lists those that the user knows.
Without --password it prints a set-up link.

disable does the same and keeps the user from signing in by any way; enable lets them sign in again.
end-sessions only signs the user out everywhere.

reset-second-factors is for a user who lost their second factor and their recovery codes. It removes
both and signs the user out everywhere; the password stays.

change-email gives the user another e-mail address, for which you vouch. If nothing proved the former
one, all credentials and the password end, as with reset-password: create a set-up link with it.

  --email EMAIL         How the user signs in
  --password PASSWORD   At least 10 characters, hard to guess; - reads it from
                        standard input
  --name NAME           Of create. Default: the part of the e-mail before the @
  --to EMAIL            Of change-email: the new address

  parley user reset-password --email ada@example.com --password -`,
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    name: { type: 'string' },
    to: { type: 'string' },
  },
  maxPositionals: 1,
  async run(terminal, { positionals: [word = ''], options }) {
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
    const isUnknown = (name: Extra) =>
      textOption(options, name) !== undefined && !verb?.accepts.includes(name)
    if (verb === undefined || extras.some(isUnknown))
      throw new UsageError(`usage is \`parley ${user.usage}\``)
    const email = required(options, 'email')
    const given = textOption(options, 'password')
    const password = given === '-' ? (await text(terminal.stdin)).replace(/\r?\n$/, '') : given
    const [name, to] = [textOption(options, 'name'), textOption(options, 'to')]
    if (verb === verbs['change-email']) required(options, 'to')
    const shown = await withInstance(terminal, ({ ctx }) =>
      verb.run(ctx, { email, password, name, to }).catch(explainRefusal),
    )
    if (verb.accepts.includes('password') && readConfig(terminal.environment).signIn === 'openid')
      terminal.stderr.write(passwordsOff)
    terminal.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return 0
  },
}

const passwordsOff =
  'parley: no password or set-up link signs in while SIGN_IN=openid; if your OpenID provider is down, restart the service with SIGN_IN=any\n'

async function create(ctx: Context, given: Given): Promise<object> {
  if (given.password === undefined) {
    const { user: created, setup } = await createSetupLink(ctx, given)
    return { ...person(created), ...setupLink(ctx, setup) }
  }
  const account = await createUser(ctx, given)
  return { ...person(account.user), workspace_id: account.workspaceId }
}

async function reset(ctx: Context, given: Given): Promise<object> {
  const { user: changed, setup, keysToRotate } = await resetPassword(ctx, given)
  const link = setup === null ? {} : setupLink(ctx, setup)
  return { ...person(changed), ...link, ...rotation(keysToRotate) }
}

async function changeEmail(ctx: Context, { email, to = '' }: Given): Promise<object> {
  const { user: changed, keysToRotate } = await changeEmailOf(ctx, { email, to })
  return { ...person(changed), ...(keysToRotate.length === 0 ? {} : rotation(keysToRotate)) }
}

function person({ id, email, name }: { id: string; email: string; name: string }) {
  return { id, email, name }
}

function setupLink(ctx: Context, { token, expiresAt }: { token: string; expiresAt: number }) {
  return {
    set_up_link: setupAddress(ctx.config, token),
    set_up_link_expires_at: new Date(expiresAt).toISOString(),
  }
}

function rotation(keys: readonly KeyToRotate[]) {
  return { keys_to_rotate: keys.map((key) => keyToRotate.parse(showKeyToRotate(key))) }
}

function required(options: Invocation['options'], name: string): string {
  const value = textOption(options, name)
  if (value !== undefined) return value
  throw new UsageError(`--${name} is missing: usage is \`parley ${user.usage}\``)
}
