export { ChatCalls } from './chat-calls.tsx'
export { ChatSources } from './chat-sources.tsx'
