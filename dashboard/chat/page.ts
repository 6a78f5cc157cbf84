import './page.css'
import { Api, type ListedConversation } from './api.ts'
import { Conversation } from './conversation.ts'
import { Attachments } from './attachments.ts'
import { byId, el, icon, iconButton } from './dom.ts'
import { Host, type FromHost, type ToHost } from './host.ts'
import { listenForLooks } from './preview.ts'
import { readPageData, textOf } from './page-data.ts'

const data = readPageData()
const t = (key: string) => textOf(data, key)
const api = new Api(data, () => endedAsleep())
const message = byId('message') as HTMLTextAreaElement
const send = byId('send') as HTMLButtonElement
const isFramed = data.token === undefined
let host: Host | null = null
const report = (event: ToHost) => host?.send(event)
const conversation = new Conversation(data, api, { busy, announce, ended, report, whenVisiting })

/** Null if the page takes no files. */
const attachments = Attachments.of(data, announce)

/**
 * What survives loading the page again. An opaque origin has no storage and no state in the history, but
 * its window keeps a name.
 */
interface Kept {
  readonly draft: string
  readonly conversationId: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

function busy(isBusy: boolean): void {
  document.body.classList.toggle('busy', isBusy)
  const label = isBusy ? t('stop') : t('send')
  send.setAttribute('aria-label', label)
  send.title = label
  send.replaceChildren(icon(isBusy ? 'stop' : 'send'))
}

function announce(text: string): void {
  byId('status').textContent = text
}

let hasVisit = false
/** Whether nothing is sent: there is no visit yet, or the host is about to bring another one. */
let isHeld = isFramed
/** Sends what the visitor has sent meanwhile. */
let waiting: (() => void) | null = null

/** Sends now, or when there is a visit. */
function whenVisiting(send: () => void): void {
  if (isHeld) waiting = send
  else send()
}

/** @param shown the conversation of the visit, before which nothing is sent */
async function release(shown?: Promise<void>): Promise<void> {
  isHeld = false
  const send = waiting
  waiting = null
  await shown
  // Meanwhile, the host may have announced another visit.
  if (send !== null) whenVisiting(send)
}

/** What the page that embeds this one sends. */
function receive(sent: FromHost): void {
  if (sent.parley === 'ask') return void conversation.send(sent.text)
  if (sent.parley === 'hold') return hold()
  if (sent.parley === 'resume') return void release()
  const { token, ends_in, conversation: id } = sent
  api.use(token, ends_in)
  const shown = show(id)
  // A visit that follows another one must not take the focus from the host's page.
  if (!hasVisit || document.hasFocus()) message.focus()
  hasVisit = true
  void release(shown)
}

/** An answer that is being written is completed first; its end reports that nothing is sent any more. */
function hold(): void {
  isHeld = true
  if (!conversation.isBusy) report({ parley: 'idle' })
}

async function show(id: string | null): Promise<void> {
  if (id === null) return conversation.startNew()
  if (id === conversation.id) return
  try {
    await conversation.open(id)
  } catch {
    // The conversation belongs to another visitor, or is deleted.
    conversation.startNew()
  }
}

/** The token could not be renewed in time, such as after the device has slept. */
function endedAsleep(): void {
  // An answer that is still being written is complete before the next message finds out.
  if (host !== null || !conversation.isBusy) ended(message.value, conversation.id)
}

/** Begins another visit, with the same conversation and draft: loads the page again, or asks the host. */
function ended(draft: string, conversationId: string | null): void {
  if (host !== null) {
    message.value = draft
    return host.send({ parley: 'ended' })
  }
  const hasJustTried = kept !== null && Date.now() - kept.at < 30_000
  if (hasJustTried) return
  const next: Kept = { draft, conversationId, at: Date.now() }
  window.name = keptPrefix + JSON.stringify(next)
  // A frame that loads itself again is sent without its cookie, so the installed app does it.
  if (parent === window) location.reload()
  else parent.postMessage({ parley: 'again' }, '*')
}

const keptPrefix = 'parley '
const kept = takeKept()

/** Whoever has opened the window can have named it, too: only text for the field, and an id, are taken. */
function takeKept(): Kept | null {
  const { name } = window
  if (!name.startsWith(keptPrefix)) return null
  window.name = ''
  try {
    const { draft, conversationId, at } = JSON.parse(name.slice(keptPrefix.length)) as Kept
    const id = /^[\w-]+$/.test(String(conversationId)) ? conversationId : null
    return { draft: String(draft), conversationId: id, at }
  } catch {
    return null
  }
}

async function restore(): Promise<void> {
  if (kept === null || Date.now() - kept.at > 30_000) return
  message.value = kept.draft
  if (kept.conversationId !== null) await conversation.open(kept.conversationId)
}

function submit(): void {
  if (conversation.isBusy) return conversation.stop()
  if (isHeld) return whenVisiting(submit)
  const text = message.value.trim()
  if (attachments?.isReading === true) return
  const files = attachments?.take() ?? []
  if (text === '' && files.length === 0) return message.focus()
  message.value = ''
  fit()
  void conversation.send(text, files)
}

/** The field grows with its text; the style sheet limits it. */
function fit(): void {
  message.style.height = 'auto'
  message.style.height = `${message.scrollHeight}px`
}

function startNew(): void {
  conversation.startNew()
  message.focus()
}

/** Paper cannot be opened: sources are printed, and closed again afterwards. */
function openSources(): void {
  const closed = [...document.querySelectorAll<HTMLDetailsElement>('.sources:not([open])')]
  for (const list of closed) list.open = true
  const close = () => {
    for (const list of closed) list.open = false
  }
  addEventListener('afterprint', close, { once: true })
}

const dialog = el('dialog', { 'aria-label': t('conversations') })

async function showConversations(): Promise<void> {
  const list = el('ul', { class: 'conversations' })
  const close = iconButton('close', t('close'), () => dialog.close())
  dialog.replaceChildren(el('header', {}, el('h2', {}, t('conversations')), close), list)
  dialog.showModal()
  try {
    const { items } = await api.get<{ items: readonly ListedConversation[] }>('/conversations')
    list.replaceChildren(...items.map(entry))
    if (items.length === 0) list.append(el('li', { class: 'empty' }, t('noConversations')))
  } catch (error) {
    list.replaceChildren(el('li', { class: 'empty' }, conversation.wordsOf(error)))
  }
}

function entry({ id, question, last_message_at: at }: ListedConversation): HTMLLIElement {
  const day = new Intl.DateTimeFormat(data.language, { dateStyle: 'medium', timeStyle: 'short' })
  const onclick = () => {
    dialog.close()
    conversation.open(id).catch((error: unknown) => announce(conversation.wordsOf(error)))
  }
  const time = el('small', {}, day.format(at))
  return el('li', {}, el('button', { type: 'button', onclick, dir: 'auto' }, question, time))
}

/** Phones have no room for it, and print from the menu of their browser. */
function printButton(): HTMLButtonElement {
  const button = iconButton('print', t('print'), () => print())
  button.classList.add('roomy')
  return button
}

byId('tools').append(
  iconButton('plus', t('newChat'), startNew),
  iconButton('list', t('conversations'), () => void showConversations()),
  isFramed ? iconButton('close', t('close'), () => report({ parley: 'close' })) : printButton(),
)
if (data.app !== null) {
  const label = t('install')
  const link = { class: 'icon', href: data.app, 'aria-label': label, title: label }
  byId('tools').append(el('a', link, icon('install')))
}
document.body.append(dialog)
addEventListener('beforeprint', openSources)
busy(false)
byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  submit()
})
message.addEventListener('input', fit)
message.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  if (!conversation.isBusy) submit()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || dialog.open) return
  if (isFramed && !conversation.isBusy) report({ parley: 'close' })
  conversation.stop()
})
byId('suggestions').addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return
  if (!isHeld) return void conversation.send(target.textContent)
  message.value = target.textContent
  submit()
})
attachments?.showIn(byId('composer'))
if (data.paused) {
  message.disabled = true
  send.disabled = true
  byId('messages').append(el('p', { class: 'notice' }, t('paused')))
}
if (data.preview === true) listenForLooks()
if (data.token === undefined) host = new Host(receive)
else {
  api.use(data.token, data.endsIn ?? 0)
  restore().catch((error: unknown) => announce(conversation.wordsOf(error)))
}
