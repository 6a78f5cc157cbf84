import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { requireAgent } from '#features/agents/index.ts'
import type { OpenPage } from './open-page.ts'
import { beginVisit, mayEmbed, type Visit } from './visit.ts'
import { readVisit, signVisit } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

type VisitContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault'>

const editorPassMs = 8 * 3_600_000

/**
 * Lets an editor embed the widget on `localhost` for some hours.
 *
 * @throws Fault record_not_found
 */
export async function createEditorPass(
  ctx: Pick<Context, 'db' | 'clock' | 'vault'>,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
  appId: string,
): Promise<{ readonly pass: string; readonly endsAt: number }> {
  // A unit, because the audit log records the pass.
  const { id: agent } = await ctx.db.write((tx) => requireAgent(tx, workspaceId, appId))
  const began = ctx.clock.now()
  const ends = began + editorPassMs
  // A pass is no visitor's, and it ends with the editor's role, not with the visits.
  const given = { agent, visitor: '', generation: 0, editor: userId, began, ends } as const
  return { pass: signVisit(ctx, { kind: 'editor', ...given }), endsAt: ends }
}

/** The id of the editor whose pass this is; null if it is not valid for this agent. */
export function readEditorPass(
  ctx: Pick<Context, 'vault' | 'clock'>,
  page: OpenPage,
  pass: string | null,
): string | null {
  const claims = pass === null ? null : readVisit(ctx, 'editor', pass)
  return claims?.agent === page.agentId ? (claims.editor ?? null) : null
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
}

/**
 * Begins a visit of the widget, bound to the site that embeds it.
 *
 * @throws Fault origin_refused
 */
export async function beginWidgetVisit(
  ctx: VisitContext,
  page: OpenPage,
  { origin, browserToken, editorPass }: WidgetArriving,
): Promise<Visit> {
  const editor = readEditorPass(ctx, page, editorPass)
  requireEmbedding(page, origin, editor !== null)
  const proof = { origin, ...(editor === null ? {} : { editor }) }
  return await beginVisit(ctx, page, { browserToken, proof })
}
