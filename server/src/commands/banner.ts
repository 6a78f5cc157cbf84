import { demoQuestion, type Welcome } from './demo-agent.ts'

export interface Readiness {
  readonly version: string
  readonly baseUrl: string
  readonly seconds: number
  /** Where the owner chooses a password; null when there is one. */
  readonly setupLink: string | null
  readonly welcome: Welcome | null
  /** What the configuration leaves wanting, a sentence each. */
  readonly wanting: readonly string[]
}

/** What a person reads when the service is ready; the log is for machines, on stderr. */
export function banner(readiness: Readiness): string {
  const { version, baseUrl, seconds, setupLink, welcome, wanting } = readiness
  const paragraphs = [
    `Parley ${version} is ready at ${baseUrl} (${seconds.toFixed(2)} s). Ctrl-C stops it.`,
    ...wanting,
    ...(setupLink === null
      ? []
      : [`Choose the owner's password here, once, within a day:\n${setupLink}`]),
    ...(welcome === null ? [] : [`Ask the demo agent (the key is shown only now):`]),
    ...(welcome === null ? [] : [curl(baseUrl, welcome)]),
  ]
  return `\n${paragraphs.join('\n\n')}\n\n`
}

function curl(baseUrl: string, { appNameId, chatKey }: Welcome): string {
  const body = JSON.stringify({
    model: appNameId,
    messages: [{ role: 'user', content: demoQuestion }],
  })
  return [
    `curl -sS ${baseUrl}/api/v1/chat/completions`,
    `  -H 'Authorization: Bearer ${chatKey}'`,
    `  -H 'Content-Type: application/json'`,
    `  -d '${body}'`,
  ].join(' \\\n')
}
