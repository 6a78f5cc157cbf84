/** The meaning of `{{…}}` in a text. */
export interface Reference {
  readonly kind: 'variable' | 'system' | 'user' | 'parameter'
  readonly name: string
}

const pattern = /\{\{\s*([\w.-]+)\s*\}\}/g

/** Every reference of a text, in order. */
export function referencesIn(text: string): Reference[] {
  return [...text.matchAll(pattern)].map(([, name = '']) => referenceOf(name))
}

/** The names of a text's references of one kind, each once. */
export function namesIn(text: string, kind: Reference['kind']): string[] {
  const same = referencesIn(text).filter((reference) => reference.kind === kind)
  return [...new Set(same.map(({ name }) => name))]
}

/** The text with each reference replaced by its value. Values are not searched for references. */
export function fillTemplate(text: string, valueOf: (reference: Reference) => string): string {
  return text.replace(pattern, (_, name: string) => valueOf(referenceOf(name)))
}

/** The reference, if the text is nothing else; otherwise null. */
export function wholeReference(text: string): Reference | null {
  const [only, more] = [...text.trim().matchAll(pattern)]
  if (only === undefined || more !== undefined || only[0] !== text.trim()) return null
  return referenceOf(only[1] ?? '')
}

function referenceOf(name: string): Reference {
  if (name.startsWith('var.')) return { kind: 'variable', name: name.slice('var.'.length) }
  if (name.startsWith('system.')) return { kind: 'system', name: name.slice('system.'.length) }
  if (name.startsWith('user.')) return { kind: 'user', name: name.slice('user.'.length) }
  return { kind: 'parameter', name }
}

const pathPattern = /\{\{[^{}]*\}\}|\{([^{}]+)\}/g

/** The keys of `{key}` in a URL; `{{…}}` are references. */
export function pathKeysIn(url: string): string[] {
  return [...url.matchAll(pathPattern)].flatMap(([, key]) => (key === undefined ? [] : [key]))
}

/** The URL with each `{key}` replaced. */
export function fillPath(url: string, valueOf: (key: string) => string): string {
  return url.replace(pathPattern, (whole, key?: string) =>
    key === undefined ? whole : valueOf(key),
  )
}
