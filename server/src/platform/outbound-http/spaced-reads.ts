import type { Socket } from 'node:net'
import type { ReadSchedule } from './read-schedule.ts'

/** A sender of such long packets has more to send. */
const longPacketBytes = 16 * 1024

/**
 * When the connection to a model is read. A read takes what has arrived meanwhile, so with fewer
 * reads, several packets of the model are read, parsed, translated and written together.
 * What waits is in the kernel's buffer of the connection, so it is bounded, and TCP slows the sender
 * down.
 *
 * It uses what Node documents for those who implement streams: `push` answers false to stop the reading
 * of the connection until `_read` is called.
 */
export class SpacedReads {
  readonly #schedule: ReadSchedule
  readonly #socket: Socket
  readonly #begin: (size: number) => void
  #isSpaced = false
  /** Waiting would slow down a sender of long packets. */
  #wasLong = false
  /** How much is asked for by a read that waits for its time; null if none does. */
  #asked: number | null = null

  constructor(socket: Socket, schedule: ReadSchedule) {
    this.#schedule = schedule
    this.#socket = socket
    this.#begin = socket._read.bind(socket)
    const push = socket.push.bind(socket)
    socket.push = (packet, encoding) => {
      this.#wasLong = Buffer.isBuffer(packet) && packet.length >= longPacketBytes
      const more = push(packet, encoding)
      return more && !this.waits
    }
    socket._read = (size) => {
      if (!this.waits) return this.#begin(size)
      this.#asked = size
      schedule.wait(this)
    }
  }

  /** Whether the next read waits. */
  get waits(): boolean {
    return this.#isSpaced && !this.#wasLong && this.#schedule.intervalMs > 0
  }

  /** From now on, reads wait if this process has many such connections. */
  space(): void {
    if (this.#isSpaced) return
    this.#isSpaced = true
    this.#schedule.join()
  }

  /** From now on, each packet is read when it arrives. */
  readAtOnce(): void {
    if (!this.#isSpaced) return
    this.#isSpaced = false
    this.#schedule.leave(this)
    this.read()
  }

  /** Begins the read that waits, if there is one. */
  read(): void {
    const size = this.#asked
    this.#asked = null
    if (size !== null && !this.#socket.destroyed) this.#begin(size)
  }
}
