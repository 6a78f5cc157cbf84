import { extractive } from './extractive/extractive.ts'
import type { Provider } from './provider.ts'

const models = ['extractive']

/** The provider inside Parley: it needs no network and no key. */
export const local: Provider = {
  name: 'local',
  title: 'Parley itself',
  variables: {},
  address: null,
  modelNames: { pattern: /^[a-z-]+$/ },
  models,
  refuses: ['tools', 'toolChoice', 'parallelToolCalls', 'responseFormat', 'logitBias'],
  connect: () => ({ ...extractive, list: () => Promise.resolve(models) }),
}

/** What an agent answers with where no provider is configured. */
export const localModel = 'local/extractive'
