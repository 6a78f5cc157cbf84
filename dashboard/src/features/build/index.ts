export { ChatCalls } from './chat-calls.tsx'
export { ChatSources } from './chat-sources.tsx'
export { cutReason } from './cut-reason.ts'
export { safeAddress } from './safe-address.ts'
