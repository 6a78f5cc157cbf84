import type { PostOffice } from '#test/support/servers/post-office.ts'
import type { EchoServer } from './planted-secrets.ts'

type Answer = Readonly<Record<string, unknown>>

/** What a workspace entrusts to the service, besides the credentials that the service issues. */
export const entrusted = {
  providerKey: 'planted-provider-key-0a1b2c3d',
  actionSecret: 'planted-action-secret-1b2c3d4e',
  actionHeader: 'planted-action-header-2c3d4e5f',
  actionQuery: 'planted-action-query-3d4e5f60',
  toolServerHeader: 'planted-tool-server-header-4e5f6071',
  toolServerQuery: 'planted-tool-server-query-5f607182',
  webhookQuery: 'planted-webhook-query-60718293',
}

interface Ports {
  readonly appId: string
  readonly echo: EchoServer
  /** The address of a remote MCP server that works. */
  readonly toolServer: string
  /** Runs an operation, which may be refused. */
  call(name: string, input: object): Promise<Answer>
  /** Runs an operation. @throws Error if it is refused */
  accepted(name: string, input: object): Promise<Answer>
}

/** Gives the workspace's secrets to its provider, action, remote MCP servers and order webhook. */
export async function plantEntrusted({ appId: app_id, echo, toolServer, call, accepted }: Ports) {
  const [url, host] = [`${echo.address}/orders`, new URL(echo.address).hostname]
  await accepted('set_provider', {
    provider: 'custom',
    base_url: `${echo.address}/v1`,
    api_key: entrusted.providerKey,
  })
  const secret = { type: 'secret', value: entrusted.actionSecret, hosts: [host] }
  await accepted('set_app_variable', { app_id, name: 'TOKEN', ...secret })
  const action = await accepted('create_custom_action', {
    app_id,
    name: 'find',
    description: 'Finds',
    method: 'POST',
    url: `${url}?key=${entrusted.actionQuery}`,
    headers: { Authorization: `Bearer ${entrusted.actionHeader}`, 'X-Token': '{{var.TOKEN}}' },
  })
  const server = { app_id, headers: { Authorization: entrusted.toolServerHeader } }
  const query = `?key=${entrusted.toolServerQuery}`
  await call('add_mcp_server', { ...server, name: 'crm', url: `${echo.address}/mcp${query}` })
  await accepted('add_mcp_server', { ...server, name: 'kept', url: `${toolServer}${query}` })
  const hook = await accepted('create_webhook_endpoint', {
    app_id,
    url: `${url}?key=${entrusted.webhookQuery}`,
  })
  return { actionId: textOf(action, 'id'), webhookSecret: textOf(hook, 'secret') }
}

/** Invites one person with a link and one by mail. @returns the two tokens, when mail is delivered */
export async function plantInvitations({ accepted }: Pick<Ports, 'accepted'>, office: PostOffice) {
  const role = 'viewer'
  const shown = await accepted('invite_member', { role, email: 'x@example.com', by_mail: false })
  const email = 'mailed@example.com'
  await accepted('invite_member', { role, email })
  return () => {
    const [mailed = ''] = office.linksTo(email)
    return { invitation: tokenIn(textOf(shown, 'link')), mailedInvitation: tokenIn(mailed) }
  }
}

function tokenIn(link: string): string {
  const [, token] = /\/invitations\/([\w-]+)/.exec(link) ?? []
  if (token === undefined) throw new Error(`no token in the link ${link}`)
  return token
}

export function textOf(answer: Answer, field: string): string {
  const value = answer[field]
  if (typeof value !== 'string') throw new Error(`no ${field} in ${JSON.stringify(answer)}`)
  return value
}
