import type { Config } from '#config'
import { ModelFailure, type ProviderAccess } from '#platform/models/model.ts'

export type ProviderAddresses = Pick<
  Config,
  'openaiBaseUrl' | 'ollamaBaseUrl' | 'anthropicBaseUrl' | 'googleBaseUrl'
>

/**
 * The address of a server that speaks OpenAI's wire format, up to and including `/v1`. Ollama's own
 * address has no version in it.
 *
 * @throws ModelFailure `refused_request`
 */
export function openAiBaseUrl(
  { provider, baseUrl }: ProviderAccess,
  config: ProviderAddresses,
): string {
  const known = { openai: config.openaiBaseUrl, ollama: config.ollamaBaseUrl }
  const base = baseUrl ?? (isKnown(provider) ? known[provider] : undefined)
  const usable = withoutSlash(checked(base, provider))
  return provider === 'ollama' ? usable.replace(/(\/v1)?$/, '/v1') : usable
}

/**
 * The address as the AI SDK's packages take it, null for their own. They want the version in it;
 * people write it with and without.
 *
 * @throws ModelFailure `refused_request`
 */
export function aiSdkBaseUrl(
  { provider, baseUrl }: ProviderAccess,
  config: ProviderAddresses,
): string | null {
  const google = provider === 'google'
  const base = baseUrl ?? (google ? config.googleBaseUrl : config.anthropicBaseUrl)
  if (base === undefined) return null
  const url = new URL(checked(base, provider))
  if (url.pathname === '/') url.pathname = google ? '/v1beta' : '/v1'
  return withoutSlash(url.href)
}

function isKnown(provider: string): provider is 'openai' | 'ollama' {
  return provider === 'openai' || provider === 'ollama'
}

function checked(base: string | undefined, provider: string): string {
  if (base === undefined || !URL.canParse(base))
    throw new ModelFailure('refused_request', `Provider ${provider} has no usable address.`)
  return base
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
