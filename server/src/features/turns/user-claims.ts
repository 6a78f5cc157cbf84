import type { SessionRequest } from './session-request.ts'

const reference = /\{\{\s*user\.(\w+)\s*\}\}/g

/**
 * The request with `{{user.…}}` in the agent's prompt filled in. Only verified claims are; a caller
 * without them leaves nothing in their place.
 */
export function withUserClaims(asked: SessionRequest): SessionRequest {
  const { agent, user } = asked
  const { settings } = agent
  const system_prompt = settings.system_prompt.replace(reference, (_, name: string) =>
    user !== undefined && Object.hasOwn(user, name) ? String(user[name]) : '',
  )
  return { ...asked, agent: { ...agent, settings: { ...settings, system_prompt } } }
}
