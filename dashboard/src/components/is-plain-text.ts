/** What may be markup, anywhere or at the beginning; addresses become links. */
const markup = /[\\`*_[\]<>#|~&@\n\r\t]|:\/\/|www\.|^\s|^[-+=]|^\d+[.)]/i

/** Whether Markdown would show a text as it is, as one paragraph. Says no when in doubt. */
export function isPlainText(text: string): boolean {
  return !markup.test(text)
}
