import type { ActionDefinition, ActionParameter } from './action-definition.ts'
import { fillTemplate, wholeReference, type Reference } from './template.ts'

/** A parameter with its value in a call. */
export interface GivenParameter {
  readonly parameter: ActionParameter
  readonly value: unknown
}

export interface Content {
  readonly type: string
  readonly text: string
}

/** The body of a request; null when it has none. */
export function buildBody(
  { body_type, body_template, method }: ActionDefinition,
  given: readonly GivenParameter[],
  resolve: (reference: Reference) => string,
): Content | null {
  const values = new Map(given.map(({ parameter, value }) => [parameter.key, value]))
  if (body_template !== null) {
    const text =
      body_type === 'json'
        ? JSON.stringify(fillJson(JSON.parse(body_template), values, resolve))
        : fillText(body_template, values, resolve)
    return { type: body_type === 'json' ? 'application/json' : 'text/plain', text }
  }
  if (body_type === 'form' && values.size > 0) {
    const pairs = [...values].flatMap(([key, value]) =>
      [value].flat().map((one): [string, string] => [key, textOf(one)]),
    )
    return {
      type: 'application/x-www-form-urlencoded',
      text: new URLSearchParams(pairs).toString(),
    }
  }
  if (body_type !== 'json' || method === 'GET' || values.size === 0) return null
  return { type: 'application/json', text: JSON.stringify(Object.fromEntries(values)) }
}

/**
 * Fills a template that was parsed first. A text that is a single reference becomes the value itself,
 * of any type; without a value, its field or list item is left out.
 */
function fillJson(
  template: unknown,
  values: ReadonlyMap<string, unknown>,
  resolve: (reference: Reference) => string,
): unknown {
  if (typeof template === 'string') {
    const whole = wholeReference(template)
    const key = whole === null ? null : parameterOf(whole, values)
    if (key !== null) return values.get(key)
    return fillText(template, values, resolve)
  }
  if (Array.isArray(template))
    return template.map((one) => fillJson(one, values, resolve)).filter((one) => one !== undefined)
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, one]) => [key, fillJson(one, values, resolve)]),
  )
}

function fillText(
  template: string,
  values: ReadonlyMap<string, unknown>,
  resolve: (reference: Reference) => string,
): string {
  return fillTemplate(template, (reference) => {
    const key = parameterOf(reference, values)
    return key === null ? resolve(reference) : textOf(values.get(key) ?? '')
  })
}

/** The parameter that a reference names; null for another reference. */
function parameterOf(
  { kind, name }: Reference,
  values: ReadonlyMap<string, unknown>,
): string | null {
  if (kind === 'parameter') return name
  // An action from before claims existed may have a parameter with such a key.
  return kind === 'user' && values.has(`user.${name}`) ? `user.${name}` : null
}

/** A value as text: JSON unless it is a string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
