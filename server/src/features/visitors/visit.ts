import { findPersonOfVisitor } from '#features/conversations/index.ts'
import { dayMs, minuteMs } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import { requireAccess, type Proof } from './visit-access.ts'
import { isVouched } from './verify-identity.ts'
import { readVisit, signVisit, type VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

const visitMs = 15 * minuteMs
/**
 * What a widget leaves with the host's site, where other scripts can read it, and a program can use it,
 * ends after a month without a visit.
 */
const longestOfWidget = 30
/** After this long, the page must be opened again, and people must sign in again. */
const longestVisitMs = dayMs
/** From the beginning of a visit until its last turn has ended. */
export const lastTurnMs = longestVisitMs + 60 * minuteMs

type VisitContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault'>

/** A visitor's browser on the page. */
export interface Visit {
  /** Sent with every request; ends in 15 minutes. */
  readonly token: string
  readonly endsAt: number
  /** Kept by the browser between visits. */
  readonly browserToken: string
  readonly claims: VisitClaims
  /** Whether the visitor has the conversations that the browser had before. */
  readonly continues: boolean
}

/** What a request for a visit contains. */
export interface Arriving {
  /** What the browser remembers, if anything. */
  readonly browserToken: string | null
  readonly proof?: Proof
}

/**
 * Begins a visit. A browser that has been here before stays the same visitor.
 *
 * @throws Fault visit_refused
 */
export async function beginVisit(
  ctx: VisitContext,
  page: OpenPage,
  { browserToken, proof = {} }: Arriving,
): Promise<Visit> {
  const before = browserToken === null ? null : readVisit(ctx, 'browser', browserToken)
  const isKnown = before !== null && isOf(before, page) && before.origin === proof.origin
  const fresh = { agent: page.agentId, visitor: newVisitor(), generation: page.generation }
  const now = ctx.clock.now()
  const given = { ...(isKnown ? withoutEditor(before) : fresh), ...proof, began: now }
  const claims = withoutOldPerson(page, given, now)
  await requireAccess(ctx, page, claims)
  return { ...visitOf(ctx, claims), continues: isKnown }
}

function newVisitor(): string {
  return mintToken('').token.slice(0, 22)
}

/**
 * Renews a visit before its token ends.
 *
 * @throws Fault visit_ended, visit_refused
 */
export async function renewVisit(
  ctx: VisitContext,
  page: OpenPage,
  given: VisitClaims,
): Promise<Visit> {
  const now = ctx.clock.now()
  const claims = withoutOldPerson(page, given, now)
  if (now - claims.began > longestVisitMs) throw new Fault(faults.visit_ended)
  if (endOfPass(claims) <= now || !isVouched(ctx, page, claims)) throw new Fault(faults.visit_ended)
  await requireAccess(ctx, page, claims)
  return visitOf(ctx, claims)
}

/** A pass is for one visit: the browser does not remember it. */
function withoutEditor<Claims extends Proof>(claims: Claims) {
  const { editor: _, editorEnds: __, editorBy: ___, ...rest } = claims
  return rest
}

/**
 * Who signed in counts only where the page needs it, and for a day: on a page that is open to everyone,
 * the next person at the same browser must not be taken for them.
 */
function withoutOldPerson<Claims extends Proof>(
  { settings: { access } }: OpenPage,
  claims: Claims,
  now: number,
): Claims | Omit<Claims, 'person' | 'signedIn'> {
  const { person: _, signedIn, ...rest } = claims
  const isRecent = signedIn !== undefined && now - signedIn.at < longestVisitMs
  return isRecent && (access === 'members' || access === 'openid') ? claims : rest
}

/** When the pass of an editor ends, and the visit with it. */
function endOfPass({ editor, editorEnds = 0 }: Proof): number {
  return editor === undefined ? Number.POSITIVE_INFINITY : editorEnds
}

/** A visit, and what the browser remembers of it. */
export function visitOf(
  ctx: VisitContext,
  given: Omit<VisitClaims, 'kind' | 'ends'> & { readonly began: number },
): Visit {
  const now = ctx.clock.now()
  const claims: VisitClaims = {
    ...given,
    kind: 'visit',
    // A person is identified no longer than the host's token says.
    ends: Math.min(now + visitMs, endOfPass(given), given.vouched?.ends ?? Infinity),
  }
  const { visitorDays } = ctx.config
  const days = given.origin === undefined ? visitorDays : Math.min(visitorDays, longestOfWidget)
  const kept: VisitClaims = {
    ...withoutEditor(claims),
    kind: 'browser',
    ends: now + days * dayMs,
  }
  return {
    token: signVisit(ctx, claims),
    endsAt: claims.ends,
    browserToken: signVisit(ctx, kept),
    claims,
    continues: true,
  }
}

/**
 * The visit of a request's token. What proved that a person may open a restricted page is checked again:
 * it ends with their session and their membership.
 *
 * @param origin the `Origin` of the request: pages have an opaque one, `null`
 * @throws Fault visit_ended, origin_refused, visit_refused
 */
export async function requireVisit(
  ctx: VisitContext,
  page: OpenPage,
  token: string | null,
  origin: string | undefined,
): Promise<VisitClaims> {
  const given = token === null ? null : readVisit(ctx, 'visit', token)
  if (given === null || !isOf(given, page)) throw new Fault(faults.visit_ended)
  const claims = withoutOldPerson(page, given, ctx.clock.now())
  if (!isVouched(ctx, page, claims)) throw new Fault(faults.visit_ended)
  if (origin !== 'null') throw new Fault(faults.origin_refused)
  if (await isJoined(ctx, claims)) throw new Fault(faults.visit_ended)
  await requireAccess(ctx, page, claims)
  return claims
}

/** Whether the host has identified the visitor since this visit began. Only a widget has hosts. */
async function isJoined(ctx: VisitContext, claims: VisitClaims): Promise<boolean> {
  if (!mayJoin(claims)) return false
  const of = { agentId: claims.agent, endUser: endUserOf(claims) }
  return (await findPersonOfVisitor(ctx, of)) !== null
}

/** Whether a host can still identify the visitor. */
export function mayJoin({ origin, user }: VisitClaims): boolean {
  return origin !== undefined && user === undefined
}

function isOf({ agent, generation }: VisitClaims, page: OpenPage): boolean {
  return agent === page.agentId && generation === page.generation
}

/** The end user as conversations store it. */
export function endUserOf({ visitor, person, user }: VisitClaims): string {
  if (user !== undefined) return user.id
  return person === undefined ? `visitor:${visitor}` : `person:${person}`
}

/** What a link proves, without revealing it. */
export function proofOfLink({ linkToken }: OpenPage, given: string): Proof | null {
  const link = hashToken(given)
  return linkToken !== null && link === hashToken(linkToken) ? { link } : null
}
