/** The names of the cases that goals refer to. */

export const wholeCase = (messages: number, callers: number) =>
  `${count(messages, 'message')}, ${count(callers, 'caller')}`

export const streamsCase = '40 chunks, 32 callers'
export const pacedCase = '50 chunks a second, 200 callers'
export const crowdCase = '1,000 streams begun at once'
export const memoryCase = '200 callers'

export const diskCase = (callers: number, disk: 'this disk' | 'flush +10 ms') =>
  `${count(callers, 'caller')}, ${disk}`

export const toolsCase = (question: string, revision: string, callers: number) =>
  `${question}, revision ${revision}, ${count(callers, 'caller')}`

export const shopCase = (request: string, products: number) =>
  `${request}, ${count(products, 'product')}, 32 callers`

export const importCase = (products: number) => count(products, 'product')

export const searchCase = (chunks: number, search: 'words' | 'words and vectors') =>
  `${count(chunks, 'chunk')}, ${search}`

/** Such as `1 caller` and `1,000 callers`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
}
