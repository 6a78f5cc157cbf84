import { usesOnly } from '#kernel/json-schema/uses-only.ts'
import type { ModelRequest } from '#platform/models/model.ts'
import { openAiFormat } from './openai-format/openai-compatible.ts'
import { addressOf } from './provider-exchange.ts'
import type { Provider } from './provider.ts'

/** What its grammars express for values of every type. It passes over other keywords. */
const keywords = [
  '$defs',
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'definitions',
  'enum',
  'items',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'type',
]

export const ollama: Provider = {
  name: 'ollama',
  title: 'Ollama',
  variables: {
    baseUrl: {
      name: 'OLLAMA_BASE_URL',
      about: 'Ollama, for example `http://127.0.0.1:11434`; turns on `ollama/<model>`.',
    },
  },
  address: null,
  modelNames: {
    pattern: /^(?!.*\.\.)[a-z0-9_][a-z0-9_.:-]*(?:\/[a-z0-9_][a-z0-9_.:-]*)*$/,
    // Ollama ignores case and adds its registry, `library` and `latest` where they are left out.
    canonical: (name) =>
      name
        .toLowerCase()
        .replace(/^registry\.ollama\.ai\//, '')
        .replace(/^library\//, '')
        .replace(/:latest$/, ''),
  },
  families: {
    // Open weights, as Ollama and Hugging Face spell them.
    vision: [
      /^(llava|bakllava|moondream|minicpm-v|pixtral)/,
      /^(llama-?3\.2-?(11b-|90b-)?vision|llama-?4|gemma-?3(?!-?1b|:1b|n))/,
      /^qwen-?(2|2\.5|3)-?vl/,
      /^(mistral-small-?3\.[12]|granite-?3\.2-vision)/,
    ],
    // On servers such as vLLM.
    audio: [/^(voxtral|ultravox|qwen-?2-audio|qwen-?(2\.5|3)-omni|phi-4-multimodal)/],
    tools: [
      /^(llama-?3\.[123](?!-?vision)|llama-?4|qwen-?(2\.5|3)(?!-?vl)|qwq|mistral-(small|large|nemo)|command-r)/,
    ],
  },
  // Its API has no part for audio.
  refusesAudio: true,
  fetchesNoImages: true,
  // Its API ignores them without an error.
  refuses: ['toolChoice', 'parallelToolCalls', 'logitBias', 'verbosity'],
  enforces: (format) => format.type === 'json_object' || usesOnly(format.schema, keywords),
  connect(http) {
    // Ollama's own address ends before the version.
    const adapter = openAiFormat(http, (access) => addressOf(access).replace(/(\/v1)?$/, '/v1'))
    return {
      ...adapter,
      complete: (request) => adapter.complete(withoutIdleTools(request)),
      stream: (request, listener) => adapter.stream(withoutIdleTools(request), listener),
    }
  },
}

/** A model that is offered tools calls them here, whatever the choice is. */
function withoutIdleTools(request: ModelRequest): ModelRequest {
  return request.toolChoice === 'none' ? { ...request, tools: [] } : request
}
