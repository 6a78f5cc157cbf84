import { aiSdk } from './ai-sdk/ai-sdk.ts'
import { listModels, openAiList } from './list-models.ts'
import { versionedAddressOf } from './provider-exchange.ts'
import type { Provider } from './provider.ts'

const family = /^claude-(3|[4-9]|(opus|sonnet|haiku)-[4-9])/

export const anthropic: Provider = {
  name: 'anthropic',
  title: 'Anthropic',
  variables: {
    apiKey: { name: 'ANTHROPIC_API_KEY', about: 'Turns on `anthropic/<model>`.' },
    baseUrl: { name: 'ANTHROPIC_BASE_URL', about: "Another address for Anthropic's API." },
  },
  address: 'https://api.anthropic.com/v1',
  modelNames: { pattern: /^(?!.*\.\.)[A-Za-z0-9][\w.:@-]*$/ },
  // Everything since Claude 3, in the old and the new order of words.
  families: { vision: [family], tools: [family] },
  refusesAudio: true,
  refuses: ['seed', 'presencePenalty', 'frequencyPenalty', 'logitBias', 'verbosity'],
  connect: (http) => ({
    ...aiSdk(http, async ({ model, access }, fetch) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const baseURL = versionedAddressOf(access, '/v1')
      return createAnthropic({ apiKey: access.apiKey ?? '', fetch, baseURL })(model)
    }),
    list: async (access, signal) =>
      listModels(http, access, signal, {
        url: `${versionedAddressOf(access, '/v1')}/models?limit=1000`,
        headers: {
          'anthropic-version': '2023-06-01',
          ...(access.apiKey === null ? {} : { 'x-api-key': access.apiKey }),
        },
        // Anthropic's list has OpenAI's `data[].id` too.
        names: openAiList,
      }),
  }),
}
