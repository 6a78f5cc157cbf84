import type { Target } from '../chat/load.ts'

/** The question that every subject is asked. */
export interface Question {
  /** 1, or the number with the history that the caller sends. */
  readonly messages: number
  /** `mock` answers at once, `paced` like a real model: 300 ms, then 50 chunks a second. */
  readonly model: 'mock' | 'paced'
  readonly stream: boolean
}

/** The servers by the names that the results use, with those for readers. */
export const subjectNames = {
  direct: 'Model alone',
  bare: 'Bare proxy',
  portkey: 'Portkey',
  voltagent: 'VoltAgent',
  sqlite: 'Parley, SQLite',
  postgres: 'Parley, PostgreSQL',
  'base-sqlite': 'Parley before, SQLite',
  'base-postgres': 'Parley before, PostgreSQL',
} as const

export type SubjectName = keyof typeof subjectNames

/** A server that the bench measures: Parley, a peer, or the mock model itself. */
export interface Subject {
  readonly name: SubjectName
  /** What shows whether its event loop is free, if it has that. */
  readonly healthUrl?: string
  ask(question: Question): Target
  /** CPU seconds used so far, with those of its database server. */
  cpu(): Promise<number>
  /** Megabytes of resident memory now, without a database server. */
  memory(): Promise<number>
  stop(): Promise<void>
}

const json = { 'content-type': 'application/json' }

/** The messages of a conversation as long as `count`, of which the last is the user's question. */
export function conversation(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const isUser = (count - index) % 2 === 1
    return isUser
      ? { role: 'user', content: 'Say forty words about the sea.' }
      : { role: 'assistant', content: `It is deep and blue${', and blue'.repeat(15)}.` }
  })
}

/** A request in OpenAI's wire format. */
export function completion(
  url: string,
  model: string,
  { messages, stream }: Question,
  headers: Readonly<Record<string, string>> = {},
): Target {
  const { origin, pathname } = new URL(url)
  // Parley always reports the usage of a stream; other servers do so when they are asked.
  const options = stream ? { stream_options: { include_usage: true } } : {}
  return {
    origin,
    path: pathname,
    headers: { ...json, ...headers },
    body: JSON.stringify({ model, messages: conversation(messages), stream, ...options }),
    stream,
  }
}
