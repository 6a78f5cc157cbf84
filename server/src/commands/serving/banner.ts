import { demoQuestion, type Welcome } from './demo-agent.ts'

interface Readiness {
  readonly version: string
  readonly baseUrl: string
  readonly seconds: number
  /** The page where the owner sets a password; null if there is one. */
  readonly setupLink: string | null
  readonly welcome: Welcome | null
  /** Problems of the configuration, one sentence each. */
  readonly warnings: readonly string[]
}

/** For people, on stdout; the log goes to stderr. */
export function banner(readiness: Readiness): string {
  const { version, baseUrl, seconds, setupLink, welcome, warnings } = readiness
  const paragraphs = [
    `Parley ${version} is ready at ${baseUrl} (${seconds.toFixed(2)} s). Ctrl-C stops it.`,
    ...warnings,
    ...(setupLink === null
      ? []
      : [`Set the owner's password here within a day (the link works once):\n${setupLink}`]),
    ...(welcome === null
      ? []
      : ['Ask the demo agent (the key is shown only now):', curl(baseUrl, welcome)]),
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
