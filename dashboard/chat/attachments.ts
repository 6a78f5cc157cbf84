import type { SentFile } from './api.ts'
import { byId, el, icon, iconButton } from './dom.ts'
import { textOf, type Attachable, type PageData } from './page-data.ts'
import { imageTypes, shrink } from './shrink-image.ts'

/** What the page does besides. */
interface Surroundings {
  announce(text: string): void
  /** No file is being read any more. */
  settled(): void
}

/** The files of the next message: chosen, pasted or dropped. */
export class Attachments {
  readonly #data: PageData
  readonly #accepted: Attachable
  readonly #around: Surroundings
  readonly #list = el('div', { class: 'files', id: 'files' })
  readonly #problem = el('p', { class: 'notice', id: 'file-problem' })
  #files: readonly SentFile[] = []
  #reading = 0

  private constructor(data: PageData, accepted: Attachable, around: Surroundings) {
    this.#data = data
    this.#accepted = accepted
    this.#around = around
  }

  /** @returns null if the page takes no files */
  static of(data: PageData, around: Surroundings): Attachments | null {
    return data.files === null ? null : new Attachments(data, data.files, around)
  }

  get isReading(): boolean {
    return this.#reading > 0
  }

  get hasFiles(): boolean {
    return this.#files.length > 0 || this.isReading
  }

  /** Files that were not sent. */
  giveBack(files: readonly SentFile[]): void {
    if (files.length > 0) this.#set(files)
  }

  /** The page was loaded again, without the files that had been chosen. */
  sayLost(): void {
    this.#complain('filesLost')
  }

  /** The files, for the message that is sent now. */
  take(): readonly SentFile[] {
    const files = this.#files
    this.#set([])
    this.#complain('')
    return files
  }

  showIn(form: HTMLElement): void {
    const { images, documents } = this.#accepted
    const accept = [...(images ? imageTypes : []), ...documents.map((ending) => `.${ending}`)]
    const input = el('input', { type: 'file', multiple: true, hidden: true, accept: accept.join() })
    input.addEventListener('change', () => {
      void this.#add([...(input.files ?? [])])
      input.value = ''
    })
    const label = textOf(this.#data, 'attach')
    const button = iconButton('clip', label, () => input.click())
    button.title = `${label}. ${limitsOf(this.#data)}`
    form.before(this.#list, this.#problem)
    form.prepend(button, input)
    this.#set([])
    this.#complain('')
    byId('message').addEventListener('paste', (event) => this.#receive(event, event.clipboardData))
    addEventListener('dragover', (event) => event.preventDefault())
    addEventListener('drop', (event) => this.#receive(event, event.dataTransfer))
  }

  #receive(event: Event, transfer: DataTransfer | null): void {
    const files = [...(transfer?.files ?? [])]
    if (event.type === 'drop' || files.length > 0) event.preventDefault()
    if (files.length > 0) void this.#add(files)
  }

  async #add(given: readonly File[]): Promise<void> {
    this.#complain('')
    for (const file of given) {
      if (!this.#takes(file)) {
        this.#complain('fileFormat')
        continue
      }
      this.#reading += 1
      try {
        this.#keep({ name: file.name, data: await dataOf(file) })
      } catch {
        this.#complain('fileUnreadable')
      } finally {
        this.#reading -= 1
      }
    }
    this.#around.settled()
  }

  #takes({ name, type }: File): boolean {
    const { images, documents } = this.#accepted
    if (imageTypes.includes(type)) return images
    return documents.includes(name.split('.').at(-1)?.toLowerCase() ?? '')
  }

  #keep(file: SentFile): void {
    const { most, bytes } = this.#accepted
    const files = [...this.#files, file]
    const size = files.reduce((sum, { data }) => sum + sizeOf(data), 0)
    if (files.length > most || size > bytes) this.#complain('fileLimits')
    else this.#set(files)
  }

  #complain(key: 'fileFormat' | 'fileLimits' | 'fileUnreadable' | 'filesLost' | ''): void {
    const text = key === 'fileLimits' ? limitsOf(this.#data) : key && textOf(this.#data, key)
    this.#problem.textContent = text
    this.#problem.hidden = text === ''
    if (text !== '') this.#around.announce(text)
  }

  #set(files: readonly SentFile[]): void {
    this.#files = files
    const cards = files.map((file) =>
      fileCard(file, {
        label: textOf(this.#data, 'removeFile', { name: file.name }),
        remove: () => {
          this.#set(this.#files.filter((one) => one !== file))
          byId('message').focus()
        },
      }),
    )
    this.#list.replaceChildren(...cards)
    this.#list.hidden = files.length === 0
  }
}

/** What can be attached to a message, in words. */
export function limitsOf(data: PageData): string {
  const { most = 0, bytes = 0 } = data.files ?? {}
  const size = new Intl.NumberFormat(data.language, { maximumFractionDigits: 1 })
  return textOf(data, 'fileLimits', { number: most, size: size.format(bytes / 1_000_000) })
}

/** A file as a thumbnail with its name. */
export function fileCard(
  { name, data }: SentFile,
  button: { readonly label: string; readonly remove: () => void } | null,
): HTMLElement {
  const isImage = data.startsWith('data:image/')
  return el(
    'span',
    { class: 'file' },
    isImage ? el('img', { src: data, alt: '' }) : icon('file'),
    el('span', { dir: 'auto' }, name),
    button === null ? null : iconButton('close', button.label, button.remove),
  )
}

/** Three bytes are four characters of base64. */
function sizeOf(data: string): number {
  return ((data.length - data.indexOf(',') - 1) * 3) / 4
}

async function dataOf(file: File): Promise<string> {
  const content = imageTypes.includes(file.type) ? await shrink(file) : file
  return await new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('not readable')))
    reader.readAsDataURL(content)
  })
}
