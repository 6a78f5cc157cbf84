import { randomBytes } from 'node:crypto'
import { html } from 'hono/html'
import { captchaOf, visitorFaults, type Captcha } from '#features/visitors/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { FindBuild } from '#surfaces/http/built-files.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { limitRequests } from './acting-visitor.ts'
import { answerDocument, versionOf } from './chat-page.ts'
import { pathOfAsset, pathOfFont } from './page-paths.ts'
import { languageOf } from './texts/texts.ts'

/**
 * GET /chat-captcha: the captcha in a window of its own. Providers accept no messages from frames with an
 * opaque origin, so this document has the origin of the service, and its policy takes away what the
 * provider's script could do with that: it can request, frame and open nothing of the service.
 */
export async function showCaptcha(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  const { config } = ctx
  await limitRequests(ctx, c)
  const captcha = captchaOf(config)
  if (captcha === null) throw new Fault(visitorFaults.page_unknown)
  const spoken = languageOf(c.req.header('accept-language'))
  const nonce = randomBytes(16).toString('base64url')
  const version = versionOf((await find())?.stamp)
  const body = html`<main class="alone">
    <h1>${spoken.texts.captcha}</h1>
    <div id="captcha"></div>
    <noscript><p class="notice">${spoken.texts.noScript}</p></noscript>
    <script
      defer
      nonce="${nonce}"
      src="${pathOfAsset(config, c, 'captcha.js', version)}"
      data-name="${captcha.name}"
      data-sitekey="${captcha.siteKey}"
      data-source="${captcha.script}"
    ></script>
  </main>`
  const response = await answerDocument(c, {
    page: null,
    spoken,
    title: spoken.texts.captcha,
    policy: policyOf(nonce, captcha),
    nonce,
    style: pathOfAsset(config, c, 'page.css', version),
    font: pathOfFont(config, c),
    body,
  })
  // Providers check which site shows the captcha.
  response.headers.set('Referrer-Policy', 'strict-origin')
  return response
}

function policyOf(nonce: string, { hosts, needsStyles }: Captcha): readonly string[] {
  const theirs = hosts.join(' ')
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${theirs}`,
    `style-src 'self' 'nonce-${nonce}'${needsStyles ? ` ${theirs}` : ''}`,
    "font-src 'self'",
    'img-src data:',
    `frame-src ${theirs}`,
    `connect-src ${theirs}`,
    "worker-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    'sandbox allow-scripts allow-same-origin allow-forms',
  ]
}
