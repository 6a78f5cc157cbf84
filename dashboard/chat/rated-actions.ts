import { el, icon, iconButton } from './dom.ts'
import { textOf, type PageData } from './page-data.ts'

/** What a visitor can do with an answer. */
export interface AnswerActions {
  /** @returns why it could not be stored; null if it was */
  rate(rating: 'up' | 'down' | null, comment: string): Promise<string | null>
  /** Null if there is nothing to send again. */
  readonly again: (() => void) | null
  /** Sends a decision on the actions that wait. */
  decide(text: string): void
}

/** The buttons for copying, rating and asking again. */
export class RatedActions {
  readonly element = el('div', { class: 'actions' })
  readonly #problem = el('p', { class: 'notice', role: 'alert' })
  readonly #data: PageData
  readonly #actions: AnswerActions
  #rating: 'up' | 'down' | null
  /** The rating that is stored. */
  #stored: 'up' | 'down' | null
  /** Ratings are stored in the order in which they were chosen. */
  #storing: Promise<unknown> = Promise.resolve()

  constructor(
    data: PageData,
    /** The answer; empty for a refused question. */
    text: () => string,
    actions: AnswerActions,
    rated: 'up' | 'down' | null,
  ) {
    this.#data = data
    this.#actions = actions
    this.#rating = rated
    this.#stored = rated
    const t = (key: string) => textOf(data, key)
    const copy = iconButton('copy', t('copy'), () => {
      copyText(text()).then(
        () => rename(copy, t('copied'), true),
        () => rename(copy, t('copyFailed'), false),
      )
    })
    const up = iconButton('up', t('helpful'), () => this.#rate('up'))
    const down = iconButton('down', t('notHelpful'), () => this.#rate('down'))
    const { again: repeat } = actions
    const again = repeat === null ? null : iconButton('again', t('again'), repeat)
    again?.classList.add('again')
    up.dataset['rating'] = 'up'
    down.dataset['rating'] = 'down'
    // A refused question has no answer to copy or to rate.
    if (text() !== '') this.element.append(copy, up, down)
    if (again !== null) this.element.append(again)
    this.#show()
  }

  #rate(rating: 'up' | 'down'): void {
    this.#rating = this.#rating === rating ? null : rating
    this.#show()
    this.element.querySelector('form')?.remove()
    void this.#store(this.#rating, '')
    if (this.#rating === 'down') this.#askWhy()
  }

  /** @returns whether it is stored; otherwise the buttons show again what is */
  #store(rating: 'up' | 'down' | null, comment: string): Promise<boolean> {
    const stored = this.#storing.then(async () => {
      const problem = await this.#actions.rate(rating, comment)
      this.#explain(problem)
      if (problem === null) this.#stored = rating
      // Another one may have been chosen meanwhile.
      else if (this.#rating === rating) this.#rating = this.#stored
      this.#show()
      if (this.#rating !== 'down') this.element.querySelector('form')?.remove()
      return problem === null
    })
    this.#storing = stored
    return stored
  }

  #explain(problem: string | null): void {
    this.#problem.remove()
    this.#problem.textContent = problem
    if (problem !== null) this.element.append(this.#problem)
  }

  #show(): void {
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-rating]'))
      button.setAttribute('aria-pressed', String(button.dataset['rating'] === this.#rating))
  }

  #askWhy(): void {
    const t = (key: string) => textOf(this.#data, key)
    const input = el('input', {
      'aria-label': t('commentLabel'),
      placeholder: t('commentLabel'),
      maxlength: 1000,
      dir: 'auto',
    })
    const onsubmit = (event: Event) => {
      event.preventDefault()
      void this.#comment(input.value, form)
    }
    const form = el(
      'form',
      { onsubmit },
      input,
      el('button', { type: 'submit', 'aria-label': t('sendComment') }, icon('send')),
    )
    this.element.append(form)
    input.focus()
  }

  /** A comment that is not stored stays in its field. */
  async #comment(text: string, form: HTMLElement): Promise<void> {
    if (!(await this.#store('down', text))) return
    const thanks = el('p', { role: 'status', tabindex: -1 }, textOf(this.#data, 'thanks'))
    form.replaceChildren(thanks)
    thanks.focus()
  }
}

function rename(button: HTMLElement, label: string, isDone: boolean): void {
  button.classList.toggle('done', isDone)
  button.title = label
  button.setAttribute('aria-label', label)
}

/** A page in an opaque origin may be refused the clipboard; a selection can be copied anyway. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const field = el('textarea', { class: 'unseen' })
    field.value = text
    document.body.append(field)
    const before = document.activeElement
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    if (before instanceof HTMLElement) before.focus()
    if (!isCopied) throw new Error('the browser refused to copy')
  }
}
