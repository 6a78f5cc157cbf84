import type { ModelAbilities } from '#platform/models/model.ts'

/**
 * What models can do, by the names their makers give them. There is no way to ask a provider, so a
 * name that is not known here counts as unable: an image refused with a plain message is better
 * than one the model never saw. Names are compared without the vendor in front
 * (`openai/gpt-4o` at a reseller) and in lowercase.
 */
const seeing: readonly RegExp[] = [
  // OpenAI: the 4o, 4.1, 4.5 and 5 families and the o series, but its small and first o1.
  /^(chatgpt-4o|gpt-4o|gpt-4-turbo|gpt-4\.1|gpt-4\.5|gpt-5)/,
  /^(o1(?!-mini|-preview)|o3(?!-mini)|o4-mini)/,
  // Anthropic: everything since Claude 3, in the old and the new order of words.
  /^claude-(3|[4-9]|(opus|sonnet|haiku)-[4-9])/,
  /^gemini-(1\.5|[2-9]|pro-latest|flash-latest|flash-lite-latest)/,
  // Open weights, as Ollama and Hugging Face spell them.
  /^(llava|bakllava|moondream|minicpm-v|pixtral)/,
  /^(llama-?3\.2-?(11b-|90b-)?vision|llama-?4|gemma-?3(?!-?1b|:1b|n))/,
  /^qwen-?(2|2\.5|3)-?vl/,
  /^(mistral-small-?3\.[12]|granite-?3\.2-vision)/,
]

/** Variants of families that take images, which hear, speak, draw or embed instead. */
const otherKinds = /(audio|realtime|transcribe|tts|embedding|image-generation|search-preview|-live)/

const calling: readonly RegExp[] = [
  /^(chatgpt-4o|gpt-4|gpt-5|gpt-3\.5-turbo|gpt-oss)/,
  /^(o1(?!-mini|-preview)|o3|o4-mini)/,
  /^claude-(3|[4-9]|(opus|sonnet|haiku)-[4-9])/,
  /^gemini-(1\.5|[2-9]|pro-latest|flash-latest|flash-lite-latest)/,
  /^(llama-?3\.[123](?!-?vision)|llama-?4|qwen-?(2\.5|3)(?!-?vl)|qwq|mistral-(small|large|nemo)|command-r)/,
]

/** @param model the part of the model id after the provider */
export function abilitiesOf(provider: string, model: string): ModelAbilities {
  if (provider === 'local') return { vision: false, tools: false }
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1)
  if (otherKinds.test(name)) return { vision: false, tools: false }
  return {
    vision: seeing.some((pattern) => pattern.test(name)),
    tools: calling.some((pattern) => pattern.test(name)),
  }
}
