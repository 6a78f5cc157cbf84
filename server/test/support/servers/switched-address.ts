import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** An address that leads to one server or to another, as that of a failover proxy does. */
export interface SwitchedAddress {
  readonly port: number
  /** New connections go to this port of this machine; those to the other one are closed. */
  leadTo(port: number): void
  stop(): Promise<void>
}

export async function startSwitchedAddress(first: number): Promise<SwitchedAddress> {
  const open = new Set<Socket>()
  let target = first
  const server = createServer((incoming) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // for TCP, neither null nor a path
  const closeAll = () => open.forEach((socket) => socket.destroy())
  return {
    port,
    leadTo(next) {
      target = next
      closeAll()
    },
    async stop() {
      server.close()
      closeAll()
      await once(server, 'close')
    },
  }
}
