import { useParams } from '@tanstack/react-router'
import { createContext, use } from 'react'
import type { OutputOf } from '#api/call-operation.ts'

export type Agent = OutputOf<'get_app'>

export const AgentContext = createContext<Agent | null>(null)

/** The agent of the page. Only available inside its layout. */
export function useAgent(): Agent {
  const agent = use(AgentContext)
  if (agent === null) throw new Error('useAgent() is for what stands inside the layout of an agent')
  return agent
}

/** The agent's name in the URL. */
export function useAppId(): string {
  return useParams({ from: '/agents/$appId' }).appId
}
