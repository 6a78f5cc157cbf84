import documentation from '#starts/documentation.json'
import internalHelp from '#starts/internal-help.json'
import shop from '#starts/shop.json'
import supportDesk from '#starts/support-desk.json'

/** The documents of `dashboard/starts`, which `import_app` accepts as they are. */
export const starts = { supportDesk, shop, documentation, internalHelp } as const

export type StartName = keyof typeof starts | 'blank'

export const startNames = ['supportDesk', 'shop', 'documentation', 'internalHelp', 'blank'] as const

export interface NewAgent {
  readonly start: StartName
  readonly name: string
  readonly description: string
  readonly model: string
  /** An address, or an empty text. */
  readonly site: string
}

/** The agent as a document for `import_app`, which reads the website in the background. */
export function documentOf({ start, name, description, model, site }: NewAgent) {
  const head = { format: 'parley.agent', version: 1 }
  const base = start === 'blank' ? { ...head, agent: { description } } : starts[start]
  const url = addressOf(site)
  const { first_step: step } = start === 'blank' ? starts.documentation : starts[start]
  return {
    ...base,
    agent: { ...base.agent, name, model },
    knowledge: url === null ? [] : [{ ...step, url }],
  }
}

/** People type `example.com`. Null for an empty text. */
export function addressOf(typed: string): string | null {
  const text = typed.trim()
  if (text === '') return null
  return /^https?:\/\//i.test(text) ? text : `https://${text}`
}
