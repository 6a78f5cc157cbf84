import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requireAgent } from '#features/agents/index.ts'
import { findPersonOfVisitor, joinVisitor } from '#features/conversations/index.ts'
import type { Credential } from '#features/credentials/index.ts'
import type { OpenPage } from './open-page.ts'
import { verifyIdentity } from './verify-identity.ts'
import { beginVisit, endUserOf, lastTurnMs, visitOf, type Visit } from './visit.ts'
import { isEditing, mayEmbed } from './visit-access.ts'
import { readVisit, signVisit, type VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

type VisitContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault'>

const editorPassMs = 8 * 3_600_000

interface PassOwner {
  readonly workspaceId: string
  readonly userId: string
  /** What they acted with; undefined on the command line. */
  readonly by: Credential | undefined
}

/**
 * Lets an editor embed the widget on `localhost` for some hours.
 *
 * @throws Fault record_not_found
 */
export async function createEditorPass(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  { workspaceId, userId, by }: PassOwner,
  appId: string,
): Promise<{ readonly pass: string; readonly endsAt: number }> {
  // A unit, because the audit log records the pass.
  const { id: agent } = await ctx.db.write((tx) => requireAgent(tx, workspaceId, appId))
  const began = ctx.clock.now()
  const ends = began + editorPassMs
  // A pass is no visitor's: it ends with the editor's role and credential, not with the visits.
  const given = { agent, visitor: '', generation: 0, editor: userId, began, ends } as const
  const editorBy = by === undefined ? {} : { editorBy: by }
  return { pass: signVisit(ctx, { kind: 'editor', ...given, ...editorBy }), endsAt: ends }
}

/** The editor whose pass this is, and when it ends; null if it is not, or no longer, valid for this agent. */
export async function readEditorPass(
  ctx: Pick<Context, 'vault' | 'clock' | 'db'>,
  page: OpenPage,
  pass: string | null,
): Promise<Pick<VisitClaims, 'editor' | 'editorEnds' | 'editorBy'> | null> {
  const claims = pass === null ? null : readVisit(ctx, 'editor', pass)
  if (claims?.agent !== page.agentId || claims.editor === undefined) return null
  const { editor, editorBy, ends } = claims
  if (!(await isEditing(ctx, page, claims))) return null
  return { editor, editorEnds: ends, ...(editorBy !== undefined && { editorBy }) }
}

/** @throws Fault origin_refused */
export function requireEmbedding(page: OpenPage, origin: string, isEditor: boolean): void {
  if (!mayEmbed(page, origin, isEditor)) throw new Fault(faults.origin_refused)
}

export interface WidgetArriving {
  /** Of the page that embeds the widget, as its browser reports it. */
  readonly origin: string
  /** What that site's storage remembers, if anything. */
  readonly browserToken: string | null
  readonly editorPass: string | null
  /** A token with which the host's server vouches for a person; null for none. */
  readonly identity: string | null
}

interface WidgetVisit extends Visit {
  /** Names of the identity's claims that are not used. */
  readonly leftOut: readonly string[]
}

/**
 * Begins a visit of the widget, bound to the site that embeds it.
 *
 * @throws Fault origin_refused, identity_expired, identity_refused
 */
export async function beginWidgetVisit(
  ctx: VisitContext & Pick<Context, 'outbound' | 'log'>,
  page: OpenPage,
  { origin, browserToken, editorPass, identity }: WidgetArriving,
): Promise<WidgetVisit> {
  const pass = await readEditorPass(ctx, page, editorPass)
  requireEmbedding(page, origin, pass !== null)
  const verified = identity === null ? null : await verifyIdentity(ctx, page, identity)
  const proof = { origin, ...pass }
  const { agentId, workspaceId } = page
  const arrived = await beginVisit(ctx, page, { browserToken, proof })
  const before = { agentId, endUser: endUserOf(arrived.claims) }
  const person = arrived.continues ? await findPersonOfVisitor(ctx, before) : null
  const newcomer = () => beginVisit(ctx, page, { browserToken: null, proof })
  // A browser whose visitor was identified may not have heard of it.
  const anonymous = person === null ? arrived : await newcomer()
  if (verified === null) return { ...anonymous, leftOut: [] }
  const { identity: known, leftOut } = verified
  const to = known.user.id
  const endsAt = ctx.clock.now() + lastTurnMs
  const joining = { workspaceId, agentId, from: endUserOf(anonymous.claims), to, endsAt }
  const isMoved = anonymous.continues && (await joinVisitor(ctx, joining))
  // The browser forgets who is signed in, and the next person starts without these conversations.
  const kept = isMoved ? await newcomer() : anonymous
  const visit = visitOf(ctx, { ...kept.claims, ...known })
  const continues = arrived.continues && (person === null || person === to)
  return { ...visit, browserToken: kept.browserToken, continues, leftOut }
}
