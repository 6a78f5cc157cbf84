import { serverModelNames } from '#kernel/model-id.ts'
import { openAiFormat } from './openai-format/openai-compatible.ts'
import type { Provider } from './provider.ts'

const address = 'https://api.openai.com/v1'

/** OpenAI, or the server that the operator put in its place. */
export const openai: Provider = {
  name: 'openai',
  title: 'OpenAI',
  variables: {
    apiKey: {
      name: 'OPENAI_API_KEY',
      about: 'Key of OpenAI or of the server at `OPENAI_BASE_URL`; turns on `openai/<model>`.',
    },
    baseUrl: {
      name: 'OPENAI_BASE_URL',
      about: 'Any server that speaks the OpenAI wire format, up to and including `/v1`.',
    },
  },
  address,
  // The server at `OPENAI_BASE_URL` can be any.
  modelNames: serverModelNames,
  families: {
    // The 4o, 4.1, 4.5 and 5 families and the o series, except its small models and the first o1.
    vision: [
      /^(chatgpt-4o|gpt-4o|gpt-4-turbo|gpt-4\.1|gpt-4\.5|gpt-5)/,
      /^(o1(?!-mini|-preview)|o3(?!-mini)|o4-mini)/,
    ],
    audio: [/^(gpt-audio|gpt-4o(-mini)?-audio)/],
    tools: [
      /^(chatgpt-4o|gpt-4|gpt-5|gpt-3\.5-turbo|gpt-oss)/,
      /^(o1(?!-mini|-preview)|o3|o4-mini)/,
    ],
  },
  // Without `strict` a schema is only a hint, and another server may not know the field.
  enforces: (format, { baseUrl }) =>
    baseUrl === address && (format.type === 'json_object' || format.strict),
  connect: openAiFormat,
}
