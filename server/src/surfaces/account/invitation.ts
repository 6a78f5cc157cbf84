import type { Session } from '#features/identity/index.ts'
import { identityFaults } from '#features/identity/index.ts'
import {
  acceptByPassword,
  acceptInvitation,
  hasAccepted,
  memberFaults,
  readInvitation,
} from '#features/members/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { setRetryAfter } from '#surfaces/http/end-routes.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { accountPurpose, formToken, requireFormToken } from '#surfaces/http/form-token.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { readOwnForm } from '#surfaces/http/read-form.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { readSession, visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { toPageFault } from './account-faults.ts'
import { invitationPage } from './invitation-page.ts'

const purpose = 'invitation'

/** GET /invitations/{token}: reading the page does not use up the invitation, so link previews do no harm. */
export async function showInvitation(ctx: Context, c: Http): Promise<Response> {
  const session = await readSession(ctx, c)
  if (session !== null && (await hasAccepted(ctx, tokenOf(c), session.user.id)))
    return c.redirect(pathTo(ctx.config, '/'), 303)
  return await answerInvitation(ctx, c, { session, typed: { email: '', name: '' } })
}

/** POST /invitations/{token}: a signed-in person joins; another one gives an email and a password. */
export async function joinByInvitation(ctx: Context, c: Http): Promise<Response> {
  const form = await readOwnForm(c, ctx.config)
  const session = await readSession(ctx, c)
  requireFormToken(ctx, c, purpose, form)
  const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
  try {
    if (session !== null) await acceptInvitation(ctx, tokenOf(c), session.user)
    else {
      const given = { ...typed, password: form.get('password') ?? '' }
      writeSession(ctx, c, await acceptByPassword(ctx, tokenOf(c), given, visitorOf(ctx, c)))
    }
  } catch (error) {
    if (!isAboutThisPerson(error)) throw error
    return await answerInvitation(ctx, c, { session, typed, error })
  }
  return c.redirect(pathTo(ctx.config, '/'), 303)
}

function tokenOf(c: Http): string {
  return c.req.param('token') ?? ''
}

function isAboutThisPerson(error: unknown): error is Fault {
  return error instanceof Fault && error.code !== memberFaults.invitation_invalid.code
}

interface Answer {
  readonly session: Session | null
  readonly typed: { readonly email: string; readonly name: string }
  readonly error?: Fault
}

async function answerInvitation(ctx: Context, c: Http, answer: Answer): Promise<Response> {
  const { session, typed, error } = answer
  const token = tokenOf(c)
  const invitation = await readInvitation(ctx, token)
  const fault = error === undefined ? null : toPageFault(error)
  setRetryAfter(c, error)
  const page = invitationPage(ctx.config, {
    path: pathTo(ctx.config, `/invitations/${token}`),
    invitation,
    person: session?.user ?? null,
    formToken: formToken(ctx, c, purpose),
    signOutToken: formToken(ctx, c, accountPurpose),
    typed,
    problem: error === undefined || fault === null ? null : problemOf(error, fault.message),
  })
  return await answerPage(c, ctx.config, page, fault?.status ?? 200)
}

/** The same whether an account exists or not: the link's holder learns nothing about others. */
function problemOf({ code }: Fault, message: string): string {
  const isWrong = code === identityFaults.credentials_wrong.code
  return isWrong
    ? 'That did not work. If you have an account with this email already, give its password.'
    : message
}
