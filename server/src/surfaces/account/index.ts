import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Context } from '#platform/context.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerPage, pageIcon, pageStyle } from '#surfaces/http/page.ts'
import { answerFont, pageFont } from '#surfaces/http/page-font.ts'
import { endRoutes } from '#surfaces/http/end-routes.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { toPageFault } from './account-faults.ts'
import {
  endOneSession,
  revokeApp,
  endOthers,
  leave,
  rename,
  replacePassword,
  showAccount,
  showSignedOut,
} from './account.ts'
import {
  confirmEmail,
  requestEmail,
  showConfirmation,
  showEmail,
  showUndo,
  undoEmail,
} from './email.ts'
import { joinByInvitation, mailProof, showInvitation } from './invitation.ts'
import { logIn, showLogin } from './login.ts'
import { beginOpenId, finishOpenId } from './openid.ts'
import { endByProvider } from './openid-logout.ts'
import { finishConfirm, showConfirm } from './confirm.ts'
import { pageScripts } from './page-scripts.ts'
import {
  addApp,
  addPasskey,
  removeFactor,
  renewCodes,
  showAddApp,
  showAddPasskey,
  showChoice,
} from './second-factors.ts'
import { finishSecondStep, showSecondStep } from './second-step.ts'
import { finishSetup, showSetup } from './setup.ts'

/** Pages for set-up, sign-in, invitations and the own account. Mounted at the service's root. */
export function accountSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.get('/login', (c) => showLogin(ctx, c))
  app.post('/login', (c) => logIn(ctx, c))
  app.get('/login/oidc', (c) => beginOpenId(ctx, c))
  app.get('/login/oidc/callback', (c) => finishOpenId(ctx, c))
  app.post('/login/oidc/back-channel-logout', (c) => endByProvider(ctx, c))
  app.get('/login/second-factor', (c) => showSecondStep(ctx, c))
  app.post('/login/second-factor', (c) => finishSecondStep(ctx, c))
  app.get('/setup', (c) => showSetup(ctx, c))
  app.post('/setup', (c) => finishSetup(ctx, c))
  app.get('/invitations/:token', (c) => showInvitation(ctx, c))
  app.post('/invitations/:token', (c) => joinByInvitation(ctx, c))
  app.post('/invitations/:token/mail', (c) => mailProof(ctx, c))
  app.post('/sign-out', (c) => leave(ctx, c))
  app.get('/signed-out', (c) => showSignedOut(ctx, c))
  app.get('/account', (c) => showAccount(ctx, c))
  app.get('/account/email', (c) => showEmail(ctx, c))
  app.post('/account/email', (c) => requestEmail(ctx, c))
  app.get('/account/email/confirm', (c) => showConfirmation(ctx, c))
  app.post('/account/email/confirm', (c) => confirmEmail(ctx, c))
  app.get('/account/email/undo', (c) => showUndo(ctx, c))
  app.post('/account/email/undo', (c) => undoEmail(ctx, c))
  app.post('/account/name', (c) => rename(ctx, c))
  app.post('/account/password', (c) => replacePassword(ctx, c))
  app.post('/account/sessions/end', (c) => endOneSession(ctx, c))
  app.post('/account/connected-apps/revoke', (c) => revokeApp(ctx, c))
  app.post('/account/sessions/end-others', (c) => endOthers(ctx, c))
  secondFactorRoutes(ctx, app)
  const answer = (c: Http, error: unknown) => answerFault(ctx, c, error)
  endRoutes(ctx, app, { name: 'account', answer })
  app.get(pageStyle.path, (c) => answerFile(c, 'text/css; charset=utf-8', pageStyle.text))
  app.get(pageIcon.path, (c) => answerFile(c, 'image/svg+xml', pageIcon.text))
  for (const { path, text } of pageScripts)
    app.get(path, (c) => answerFile(c, 'text/javascript; charset=utf-8', text))
  app.get(pageFont.path, answerFont)
  return app
}

function secondFactorRoutes(ctx: Context, app: Hono<HttpEnvironment>): void {
  app.get('/account/confirm', (c) => showConfirm(ctx, c))
  app.post('/account/confirm', (c) => finishConfirm(ctx, c))
  app.get('/account/second-factor', (c) => showChoice(ctx, c))
  app.get('/account/second-factor/app', (c) => showAddApp(ctx, c))
  app.post('/account/second-factor/app', (c) => addApp(ctx, c))
  app.get('/account/second-factor/passkey', (c) => showAddPasskey(ctx, c))
  app.post('/account/second-factor/passkey', (c) => addPasskey(ctx, c))
  app.post('/account/second-factor/remove', (c) => removeFactor(ctx, c))
  app.post('/account/second-factor/recovery-codes', (c) => renewCodes(ctx, c))
}

/** The style sheet, the icon and the scripts; pages link to them with their version. */
function answerFile(c: Http, type: string, content: string): Response {
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(content, 200, { 'Content-Type': type })
}

async function answerFault({ config }: Context, c: Http, error: unknown): Promise<Response> {
  const { title, message, status } = toPageFault(error)
  const isAccount = c.req.path.startsWith(pathTo(config, '/account'))
  const [path, link] = isAccount ? ['/account', 'Your account'] : ['/login', 'Go to sign-in']
  const body = html`<h1>${title}</h1>
    <p>${message}</p>
    <p class="fine"><a href="${pathTo(config, path)}">${link}</a></p>`
  return await answerPage(c, config, { title, body }, status)
}
