import type { ModelAbilities } from '#platform/models/model.ts'
import { remember } from '#kernel/remember.ts'
import { providers } from './providers.ts'

/** Variants of families that see or call tools, which hear, speak, draw or embed instead. */
const otherKinds = /(audio|realtime|transcribe|tts|embedding|image-generation|search-preview|-live)/

/**
 * What a model can do, by its name: providers offer no way to ask. An unknown name counts as
 * unable: a refused image with a plain message is better than one that the model never saw. Names
 * are compared without the vendor in front (`openai/gpt-4o` at a reseller) and in lowercase.
 *
 * @param model the part of the model id after the provider
 */
export function abilitiesOf(provider: string, model: string): ModelAbilities {
  return known(`${provider}\n${model}`)
}

/** Every turn asks, and a name is compared with dozens of patterns. */
const known = remember(500, (key) => {
  const [provider = '', model = ''] = key.split('\n', 2)
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1)
  const own = providers.find((one) => one.name === provider)
  const can = (ability: 'vision' | 'audio' | 'tools') =>
    providers.some(({ families }) => families?.[ability]?.some((pattern) => pattern.test(name)))
  const fetchesImages = own?.fetchesNoImages !== true
  if (own?.models !== undefined)
    return { vision: false, audio: false, tools: false, fetchesImages, isKnown: true }
  const audio = own?.refusesAudio !== true && can('audio')
  if (otherKinds.test(name))
    return { vision: false, audio, tools: false, fetchesImages, isKnown: true }
  const [vision, tools] = [can('vision'), can('tools')]
  return { vision, audio, tools, fetchesImages, isKnown: vision || tools }
})
