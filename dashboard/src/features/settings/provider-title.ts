import { t } from '#texts/t.ts'

const known = ['local', 'openai', 'anthropic', 'google', 'ollama'] as const

/** A provider as people call it; one of a workspace's own is called what they named it. */
export function providerTitle(provider: string): string {
  const name = known.find((one) => one === provider)
  return name === undefined ? provider : t(`settings.providers.names.${name}`)
}
