import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A home folder without a browser, for programs that ask a person to open a link. */
export interface BrowserlessHome {
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  /** Receives the program's output, piece by piece. */
  readonly read: (piece: unknown) => void
  /** The first link to the authorization server in the output. */
  readonly link: Promise<URL>
  /**
   * Opens the callback address, with retries: programs print their link before they listen for the
   * callback, and a test is faster than a person.
   */
  openCallback(address: URL): Promise<Response>
  remove(): Promise<void>
}

const authorizationLink = /https?:\/\/\S+\/mcp\/oauth\/authorize\?\S+(?=\s)/

export async function createBrowserlessHome(): Promise<BrowserlessHome> {
  const home = await mkdtemp(join(tmpdir(), 'parley-desktop-'))
  const { promise: link, resolve } = Promise.withResolvers<URL>()
  let printed = ''
  return {
    home,
    // The program `true` is a browser that opens nothing. Without a display, programs look for no
    // other.
    environment: { HOME: home, BROWSER: 'true', DISPLAY: '', WAYLAND_DISPLAY: '' },
    read(piece) {
      printed += String(piece)
      const [found] = authorizationLink.exec(printed) ?? []
      if (found !== undefined) resolve(new URL(found))
    },
    link,
    openCallback,
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

async function openCallback(address: URL): Promise<Response> {
  for (const deadline = Date.now() + 10_000; ; await sleep(50))
    try {
      return await fetch(address)
    } catch (error) {
      if (!isRefusedConnection(error) || Date.now() > deadline) throw error
    }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
