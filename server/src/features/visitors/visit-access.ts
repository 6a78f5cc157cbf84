import { isCredentialLive } from '#features/credentials/index.ts'
import { isSessionAlive } from '#features/identity/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { atLeast } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { isLoopback, isOfEditor } from './chat-page-settings.ts'
import type { OpenPage } from './open-page.ts'
import type { VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

type AccessContext = Pick<Context, 'db' | 'clock' | 'config'>
type Editing = Pick<VisitClaims, 'editor' | 'editorEnds' | 'editorBy'>

/** What of a visit proves that the visitor may open the page. */
export type Proof = Pick<VisitClaims, 'link' | 'person' | 'signedIn' | 'origin'> & Editing

/** Whether a site may show the widget. Pages that are not open to everyone are never in a widget. */
export function mayEmbed({ settings }: OpenPage, origin: string, isEditor: boolean): boolean {
  if (settings.access !== 'public') return false
  return isLoopback(origin)
    ? isEditor && isOfEditor(origin)
    : settings.widget_origins.includes(origin)
}

/**
 * A visit of a page for people ends with the session that it began with, whatever ended it. An anonymous
 * visit needs no read.
 *
 * @throws Fault visit_refused, origin_refused
 */
export async function requireAccess(
  ctx: AccessContext,
  page: OpenPage,
  claims: Proof,
): Promise<void> {
  if (!mayOpen(page, claims)) throw new Fault(faults.visit_refused)
  if (claims.editor !== undefined && !(await isEditing(ctx, page, claims)))
    throw new Fault(faults.origin_refused)
  const { access } = page.settings
  if (access !== 'members' && access !== 'openid') return
  const { person = '', signedIn } = claims
  if (!(await isSessionAlive(ctx, { id: signedIn?.session ?? '', userId: person })))
    throw new Fault(faults.visit_refused)
  if (access === 'members' && (await roleIn(ctx.db.read, person, page.workspaceId)) === null)
    throw new Fault(faults.visit_refused)
}

/** Whether the editor of a pass may still edit, and what the pass was created with still acts. */
export async function isEditing(
  { db }: Pick<Context, 'db'>,
  { workspaceId }: OpenPage,
  { editor = '', editorBy }: Editing,
): Promise<boolean> {
  const role = await roleIn(db.read, editor, workspaceId)
  if (role === null || !atLeast(role, 'editor')) return false
  return await isCredentialLive(db.read, editor, editorBy)
}

function mayOpen(page: OpenPage, { link, person, signedIn, origin, editor }: Proof): boolean {
  const { settings, linkToken } = page
  if (origin !== undefined) return mayEmbed(page, origin, editor !== undefined)
  switch (settings.access) {
    case 'public':
      return true
    case 'link':
      return linkToken !== null && link === hashToken(linkToken)
    case 'members':
      return person !== undefined
    case 'openid':
      return person !== undefined && signedIn?.by === 'openid'
  }
}
