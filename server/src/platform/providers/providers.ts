import { anthropic } from './anthropic.ts'
import { google } from './google.ts'
import { local } from './local.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import type { Provider } from './provider.ts'

/** The providers that every instance knows; a workspace can add servers in the OpenAI format. */
export const providers: readonly Provider[] = [local, openai, ollama, anthropic, google]
