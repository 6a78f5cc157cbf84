import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server on loopback that knows TXT records alone. */
export interface DnsServer {
  /** For `DNS_SERVERS`. */
  readonly address: string
  /** By name. A name without a list does not exist. */
  readonly texts: Map<string, readonly string[]>
  /** The names that were asked for. */
  readonly asked: string[]
  /** Whether it answers that it has failed. */
  fails: boolean
  stop(): Promise<void>
}

const txt = 16
const headerLength = 12
const noSuchName = 3
const serverFailure = 2

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const server = {
    texts: new Map<string, readonly string[]>(),
    asked: [] as string[],
    fails: false,
  }
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')

  function answerTo(query: Buffer): Buffer {
    const { name, end } = readName(query)
    server.asked.push(name)
    const texts = server.texts.get(name)
    const code = server.fails ? serverFailure : texts === undefined ? noSuchName : 0
    return answerOf(query, end, code, server.fails ? [] : (texts ?? []))
  }

  return Object.assign(server, {
    address: `127.0.0.1:${socket.address().port}`,
    stop: () => closed(socket),
  })
}

async function closed(socket: Socket): Promise<void> {
  const ended = once(socket, 'close')
  socket.close()
  await ended
}

/** RFC 1035 §4.1.2: the labels of the question, then its type and class. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = headerLength
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

/** RFC 1035 §4.1.1 and §4.1.3. The records may not be cached. */
function answerOf(query: Buffer, end: number, code: number, texts: readonly string[]): Buffer {
  const header = Buffer.alloc(headerLength)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(texts.length, 6)
  const records = texts.map((text) => {
    const bytes = Buffer.from(text)
    const record = Buffer.alloc(headerLength)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(txt, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(bytes.length + 1, 10)
    return Buffer.concat([record, Buffer.from([bytes.length]), bytes])
  })
  return Buffer.concat([header, query.subarray(headerLength, end), ...records])
}
