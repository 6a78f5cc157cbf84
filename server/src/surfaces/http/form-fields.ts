import { html } from 'hono/html'
import type { Html } from './page.ts'

interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'email' | 'password' | 'text'
  /** How browsers and password managers fill in the field. */
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string
  readonly required?: boolean
  readonly invalid?: boolean
}

export function field(given: Field): Html {
  const { name, label, type, autocomplete, value = '', hint, required = true, invalid } = given
  const hintId = `${name}-hint`
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${required ? html`required` : null}
      ${invalid === true ? html`aria-invalid="true"` : null}
      ${hint === undefined ? null : html`aria-describedby="${hintId}"`}
    />
    ${hint === undefined ? null : html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}
