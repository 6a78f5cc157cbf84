declare const checked: unique symbol

/**
 * A provider's own name for a model, as its provider's grammar allows it, in its only spelling.
 * Only `parseModelName` creates one, so adapters never receive anything else.
 */
export type ModelName = string & { readonly [checked]: true }

/** The grammar of a provider's model names. */
export interface ModelNames {
  /** Matches a whole name in its only spelling. */
  readonly pattern: RegExp
  /** Replaces other spellings that the provider accepts for the same model. */
  readonly canonical?: (name: string) => string
}

export interface ModelId {
  readonly provider: string
  readonly model: ModelName
  /** `<provider>/<model>`: what is stored, priced, logged and shown. */
  readonly id: string
}

/** A provider's name: lowercase, as the first part of a model id is. */
export const providerName = /^[a-z][a-z0-9-]{0,39}$/

/**
 * Names on servers in OpenAI's format, which hold vendors and variants (`meta-llama/llama-4:free`)
 * or the path of a file (`/models/llama.gguf`). They are sent in the body, never in an address.
 */
export const serverModelNames: ModelNames = {
  pattern: /^(?!.*\.\.)\/?[\w@~][\w.:@+~-]*(?:\/[\w@~][\w.:@+~-]*)*$/,
}

/** UTF-16 code units. */
const longestName = 160

export function parseModelName(names: ModelNames, text: string): ModelName | null {
  const name = names.canonical?.(text) ?? text
  const isName = name.length <= longestName && names.pattern.test(name)
  // The one place that creates the type.
  return isName ? (name as ModelName) : null
}

/** The providers whose grammar is known; any other is a server in OpenAI's format. */
interface KnownProviders {
  readonly providers: ReadonlyMap<string, { readonly modelNames: ModelNames }>
}

/**
 * Splits `<provider>/<model>` at its first slash.
 *
 * @returns the id in its only spelling; null when its provider's grammar does not allow it
 */
export function parseModelId({ providers }: KnownProviders, id: string): ModelId | null {
  const slash = id.indexOf('/')
  const provider = id.slice(0, Math.max(slash, 0))
  if (!providerName.test(provider)) return null
  const model = parseModelName(
    providers.get(provider)?.modelNames ?? serverModelNames,
    id.slice(slash + 1),
  )
  return model === null ? null : { provider, model, id: `${provider}/${model}` }
}
