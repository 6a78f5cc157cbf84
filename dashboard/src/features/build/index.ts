export { ChatCalls } from './chat-calls.tsx'
export { ChatSources } from './chat-sources.tsx'
export { safeAddress } from './safe-address.ts'
