import type { DocumentationText } from '#platform/documentation.ts'

type Line = readonly [name: string, summary: string]

/** The order of the pages for a reader. Pages that are not named follow under `More`. */
const chapters: readonly (readonly [title: string, lines: readonly Line[]])[] = [
  [
    'Start',
    [
      ['README', 'What Parley is, the first two commands and a first conversation.'],
      ['running', 'Where data is kept, PostgreSQL, several processes, updates.'],
      ['dashboard', 'What each page of the dashboard does.'],
      ['questions', 'Common questions, each with a short answer.'],
      ['glossary', 'The words of Parley, each for one thing.'],
    ],
  ],
  [
    'Build an agent',
    [
      ['agents', 'Prompts, settings, versions, export and import.'],
      ['knowledge', 'Files, pages and whole sites that an agent answers from.'],
      ['actions', 'HTTP requests and MCP tools that an agent can use.'],
      ['models', 'Model providers, your own keys, embeddings.'],
      ['analytics', 'Figures, conversations, ratings, retention and exports.'],
    ],
  ],
  [
    'Connect',
    [
      ['chat-api', 'One endpoint that works with the clients of OpenAI.'],
      ['responses', 'The API that OpenAI’s clients call responses.'],
      ['clients', 'Which clients are tested, and with which features.'],
      ['sessions', 'Conversations that Parley remembers.'],
      ['streaming', 'Answers word by word.'],
      ['mcp', 'Manage agents from an assistant.'],
      ['oauth', 'How an assistant gets access, and how you end it.'],
      ['agentic-commerce', 'Products, checkout and orders for shopping agents.'],
    ],
  ],
  [
    'Manage',
    [
      ['workspaces', 'What a workspace holds, and how to delete and restore one.'],
      ['roles', 'What owners, admins, editors and viewers may do.'],
      ['sign-in', 'Passwords, second factors, passkeys, OpenID Connect.'],
      ['billing', 'Plans, credits and spending caps.'],
      ['audit', 'Who changed what, and how to prove it.'],
      ['command-line', 'Every command and every operation.'],
    ],
  ],
  [
    'Operate',
    [
      ['deploying', 'Containers, Kubernetes, systemd, TLS.'],
      ['configuration', 'Every environment variable.'],
      ['limits', 'What protects an instance and its tenants from each other.'],
      ['backup', 'Backups, restoring, moving to another database.'],
      ['monitoring', 'Health, metrics, traces, logs and alerts.'],
      ['scale', 'What to add as an instance grows, and what it costs.'],
    ],
  ],
  [
    'Trust',
    [
      ['reliability', 'Faults that were tried, and what they cost.'],
      ['threat-model', 'What Parley protects, from whom, and how.'],
      ['security-tests', 'Every attack and the tests that try it.'],
    ],
  ],
]

export interface ContentsEntry {
  /** `sessions`, for the page `sessions.md`. */
  readonly name: string
  readonly title: string
  readonly summary: string
}

export interface Chapter {
  readonly title: string
  readonly entries: readonly ContentsEntry[]
}

/** The table of contents of the documentation. */
export function contentsOf(pages: readonly DocumentationText[]): readonly Chapter[] {
  const left = new Map(pages.map(({ name, text }) => [name.replace(/\.md$/, ''), text]))
  const take = ([name, summary]: Line): ContentsEntry[] => {
    const text = left.get(name)
    left.delete(name)
    if (text === undefined) return []
    const heading = /^# (.+)$/m.exec(text)?.[1] ?? name
    return [{ name, title: name === 'README' ? 'Overview' : heading, summary }]
  }
  const known = chapters.map(([title, lines]) => ({ title, entries: lines.flatMap(take) }))
  const others = [...left.keys()].flatMap((name) => take([name, '']))
  return [...known, { title: 'More', entries: others }].filter(({ entries }) => entries.length > 0)
}
